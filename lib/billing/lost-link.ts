import * as v from "valibot";
import { decideAgain } from "../store/again.ts";
import { linkAgain } from "../store/customers.ts";
import { keys } from "../store/keys.ts";
import { findLink, Link } from "../store/members/sync.ts";
import * as users from "../store/users.ts";
import type { BillingContext } from "./context.ts";
import { undefinedIfMissing } from "./stripe.ts";

const number = v.pipe(v.string(), v.toNumber());
const { entries } = Link;
/** The metadata of a customer whom Odis has created. */
const Metadata = v.object({
  community_id: v.pipe(number, entries.community_id),
  member_id: v.pipe(number, entries.member_id),
  user_id: v.pipe(number, entries.user_id),
});

/**
 * Puts back the link of a customer that a restored table lacks, because their first checkout was opened after the time to which
 * it was restored. The customer's metadata say who they are.
 *
 * @returns undefined if the customer was deleted, is not of this stage, or of a person who was erased
 * @throws Error if the person has no profile, or another customer or member
 */
export async function restoreLink({ table, billing }: BillingContext, customer_id: string): Promise<Link | undefined> {
  const customer = await undefinedIfMissing(
    billing((stripe, options) => stripe.customers.retrieve(customer_id, {}, options)),
  );
  const given = customer?.deleted ? undefined : v.safeParse(Metadata, customer?.metadata);
  if (!given?.success) return undefined;
  const link: Link = { customer_id, ...given.output };
  const [community, person] = await Promise.all([
    table.get(keys.community(link.community_id)),
    users.find(table, link.user_id),
  ]);
  if (!community || person?.erased_at !== undefined) return undefined;
  if (!person) throw new Error(`The table lacks user ${link.user_id}, to whom customer ${customer_id} belongs`);
  return decideAgain(table, async () => {
    const found = await findLink(table, customer_id);
    if (!found) await linkAgain(table, link);
    return found ?? link;
  });
}
