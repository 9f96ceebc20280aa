import { erase } from "#lib/contract/users.ts";
import { userInPath } from "#lib/guards/users.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { erase as erasePerson } from "#lib/person/erasure.ts";
import { connectOutside, type Outside } from "#lib/person/outside.ts";

/** The endpoint, with its access to the user pool and the bucket of erasures. */
export const erasing = (outside: Outside) =>
  endpoint(erase, userInPath, ({ body, record, actor, table, billing, operation, now }) => {
    const { dry_run: dryRun, cancel_subscriptions: cancelsSubscriptions } = body;
    const { begunAt } = operation;
    return erasePerson({ table, billing, now, outside }, record, { dryRun, cancelsSubscriptions, actor, begunAt });
  });

export const handler = erasing(connectOutside());
