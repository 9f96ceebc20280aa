import { nameProblem, writeAddress } from "#lib/billing/address.ts";
import { canonicalJson } from "#lib/canonical-json.ts";
import { update } from "#lib/contract/members.ts";
import { memberInPath } from "#lib/guards/communities.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as customers from "#lib/store/customers.ts";
import { edit } from "#lib/store/members/editable.ts";
import { toResponse } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { assertAuthorized, whileAuthorized } from "#lib/store/ownership.ts";
import type { Write } from "#lib/store/table.ts";

export const handler = endpoint(update, memberInPath, async ({ body, record, parent, table, billing, actor }) => {
  const changes = edit(record, body.member);
  const checks: Write[] = [];
  if (body.member.shipping_address !== undefined) {
    const stored = await customers.find(table, record.user.id, parent.id);
    const customer = stored?.customer_id ?? record.stripe_customer_id;
    // Writes Stripe first, because synchronizations copy Stripe's address to the member. An address without a name that
    // is unchanged is not written, because Stripe may hold one but refuses to store it again.
    const isWrittenBack =
      changes.shipping_address?.name === "" &&
      canonicalJson(changes.shipping_address) === canonicalJson(record.shipping_address);
    if (customer && !isWrittenBack) {
      await assertAuthorized(table);
      await writeAddress(billing, customer, changes.shipping_address).catch((error: unknown) => {
        throw nameProblem(error) ?? error;
      });
    }
    checks.push(customers.isStill(record, stored));
  }
  const updated = await members.update(whileAuthorized(table), record, changes, actor, checks);
  return toResponse(updated, parent, table.runtime);
});
