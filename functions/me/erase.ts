import { erase } from "#lib/contract/me.ts";
import { everyone } from "#lib/guards/guard.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { erase as erasePerson } from "#lib/person/erasure.ts";
import { connectOutside, type Outside } from "#lib/person/outside.ts";
import { Problem } from "#lib/problem.ts";
import * as users from "#lib/store/users.ts";

/** The endpoint, with its access to the user pool and the bucket of erasures. */
export const erasing = (outside: Outside) =>
  endpoint(erase, everyone, async ({ body, actor, table, billing, operation, now }) => {
    const user = await users.find(table, actor.id);
    if (!user) throw new Problem("not_found", { detail: "The caller has no profile" });
    const { dry_run: dryRun, cancel_subscriptions: cancelsSubscriptions } = body;
    const { begunAt } = operation;
    return erasePerson({ table, billing, now, outside }, user, { dryRun, cancelsSubscriptions, actor, begunAt });
  });

export const handler = erasing(connectOutside());
