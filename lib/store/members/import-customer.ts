import type { MemberImport } from "../../domain/member-import.ts";
import { pick } from "../../pick.ts";
import type { Customer } from "../customers.ts";
import { keys } from "../keys.ts";
import type { Write } from "../table.ts";
import type { StoredMember } from "./item.ts";
import { Refused } from "./refused.ts";
import type { StoredState } from "./stored-state.ts";

/** @throws Refused if the customer belongs to another person, or the person has another customer */
export function customerOf(
  stored: StoredState,
  record: MemberImport,
  reserved: Customer | undefined,
  id: number,
): string | null {
  const { stripe_customer_id: requested } = record;
  const current = reserved?.customer_id ?? null;
  if (requested === null) return current;
  const link = stored.link(requested);
  if ((current !== null && current !== requested) || (link && link.member_id !== id))
    throw new Refused("/stripe_customer_id", "other_customer", "must be the customer that this person is");
  return requested;
}

/** @throws Refused for sums and refunds, which would be counted besides those at Stripe */
export function assertNoSums(record: MemberImport): void {
  const name = (["lifetime_spend_cents", "total_refunded_cents", "refunds"] as const).find((each) =>
    Array.isArray(record[each]) ? record[each].length > 0 : record[each] !== 0,
  );
  if (name)
    throw new Refused(
      `/${name}`,
      "not_allowed",
      "must be left out: the payments of the member's customer are read from Stripe",
    );
}

/** Links the person, their member and their customer, so that checkouts and Stripe's events find the member. */
export function tied(
  stored: StoredState,
  { id, community_id, user, stripe_customer_id: customer_id }: StoredMember,
  reserved?: Customer,
): Write[] {
  const key = keys.customerOf(user.id, community_id);
  const link = { customer_id, community_id, member_id: id, user_id: user.id };
  const isTied = reserved?.customer_id === customer_id;
  // A checkout may have reserved another member since.
  const when = reserved && { is: pick(reserved, ["customer_id", "member_id"]) };
  const tie: Write[] = when
    ? [{ update: key, set: { customer_id }, when }]
    : [{ put: { ...key, member_id: id, customer_id }, when: "absent" }];
  return [
    ...(isTied && when ? [{ check: key, when }] : tie),
    ...(isTied || customer_id === null || stored.link(customer_id)
      ? []
      : [{ put: { ...keys.customer(customer_id), ...link }, when: "absent" as const }]),
  ];
}

/** Accepts the member's subscription, and removes the subscription of an earlier import. */
export function followed(
  before: StoredMember | undefined,
  { id, stripe_subscription_id: subscription_id }: StoredMember,
): Write[] {
  const earlier = before?.stripe_subscription_id ?? null;
  return [
    ...(earlier === null || earlier === subscription_id ? [] : [{ delete: keys.subscription(id, earlier) }]),
    ...(subscription_id === null
      ? []
      : [{ put: { ...keys.subscription(id, subscription_id), subscription_id, standing: "accepted" } }]),
  ];
}
