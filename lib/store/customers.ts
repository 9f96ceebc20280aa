import * as v from "valibot";
import { pick } from "../pick.ts";
import { Problem, unauthorized } from "../problem.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Conflict } from "./failure.ts";
import { keys, lastIdOf, prefixOf } from "./keys.ts";
import { fromItem, type StoredMember } from "./members/item.ts";
import * as memberships from "./members/memberships.ts";
import type { Link } from "./members/sync.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { notErased } from "./users.ts";
import { write } from "./write.ts";

/** A person's Stripe customer in a community, and the id of their current or future member. */
export const Customer = v.object({
  member_id: Id,
  customer_id: v.nullable(v.string()),
  /** When a checkout generated the member's id. */
  reserved_at: v.optional(Timestamp),
});
export type Customer = v.InferOutput<typeof Customer>;

export async function find(table: Reader, userId: number, communityId: number): Promise<Customer | undefined> {
  const item = await table.get(keys.customerOf(userId, communityId));
  return item && v.parse(Customer, item);
}

/** A person's current or future member in a community, and their Stripe customer. */
export type CustomerPlace = {
  readonly community_id: number;
  readonly member_id: number;
  readonly customer_id: string | null;
};

/**
 * Every community in which a person is a member or has opened a checkout: one Query for each. Another round trip reads the
 * members that were stored before customers had items of their own.
 */
export async function placesOf(table: Reader, userId: number): Promise<CustomerPlace[]> {
  const { pk } = keys.customerOf(userId, 0);
  const [reserved, joined] = await Promise.all([
    queryAll(table, { pk, prefix: prefixOf("customerOf").sk }),
    memberships.ofUser(table, userId),
  ]);
  const places = new Map<number, CustomerPlace>();
  for (const { community_id, member_id } of joined)
    places.set(community_id, { community_id, member_id, customer_id: null });
  for (const item of reserved) {
    const community_id = lastIdOf({ sk: String(item.sk) });
    places.set(community_id, { community_id, ...pick(v.parse(Customer, item), ["member_id", "customer_id"]) });
  }
  const rest = [...places.values()].filter(({ customer_id }) => customer_id === null);
  const found =
    rest.length === 0 ? [] : await table.getAll(rest.map((place) => keys.member(place.community_id, place.member_id)));
  for (const { id: member_id, community_id, stripe_customer_id: customer_id } of found.map(fromItem))
    places.set(community_id, { community_id, member_id, customer_id });
  return [...places.values()];
}

/** A person's Stripe customers in all communities. */
export async function customersOf(table: Reader, userId: number): Promise<string[]> {
  const { pk } = keys.customerOf(userId, 0);
  const items = await queryAll(table, { pk, prefix: prefixOf("customerOf").sk });
  return items.flatMap((item) => v.parse(Customer, item).customer_id ?? []);
}

/**
 * Prepares a checkout: marks the tier as in use, and stores the id of the person's future member at their first checkout,
 * or again if the stored id has lapsed (`hasLapsed`). Throws a `Conflict` if another request stores an id at the same time,
 * or if the id is of somebody else.
 *
 * @throws Problem `unknown_tier` if the tier is not active, `invalid_token` if the person was erased
 */
export async function reserve(
  table: Writer,
  { userId, communityId, tierId }: { userId: number; communityId: number; tierId: number },
  customer: Customer | undefined,
  memberId: number,
  hasLapsed = false,
): Promise<Customer> {
  const reserved_at = table.runtime.now().toISOString();
  const drawn = { member_id: memberId, customer_id: customer?.customer_id ?? null, reserved_at };
  const key = keys.customerOf(userId, communityId);
  const isKept = customer && !hasLapsed;
  await write(table, [
    notErased(userId, unauthorized("invalid_token")),
    {
      update: keys.tier(communityId, tierId),
      set: { in_use: true },
      when: { is: { status: "active" } },
      otherwise: new Problem("unknown_tier"),
    },
    ...(isKept ? [] : reserveId(memberId, table.runtime.now())),
    ...(customer ? [] : [{ put: { ...key, ...drawn }, when: "absent" as const }]),
    ...(customer && hasLapsed
      ? [
          { update: key, set: drawn, when: { is: pick(customer, ["member_id", "customer_id"]) } },
          { check: keys.membership(userId, communityId), when: "absent" as const },
          ...leadTo(drawn),
        ]
      : []),
  ]);
  return isKept ? customer : drawn;
}

/** Keeps a new member id from others until some time after its checkout lapses. */
const reserveId = (memberId: number, now: Date): Write[] => [
  {
    put: {
      ...keys.reservedMember(memberId),
      expires_at: Math.floor(now.getTime() / 1000) + (reservedDays + 1) * 24 * 60 * 60,
    },
    when: "absent",
  },
  { check: keys.memberParent(memberId), when: "absent" },
];

/** Days after which a checkout replaces the reserved id of a person who has not become a member. */
export const reservedDays = 30;

const leadTo = ({ customer_id, member_id }: Customer): Write[] =>
  customer_id === null ? [] : [{ update: keys.customer(customer_id), set: { member_id }, when: "exists" }];

/** A condition that makes its transaction fail if the member's customer has changed since it was read. */
export const isStill = ({ user, community_id }: StoredMember, customer: Customer | undefined): Write => ({
  check: keys.customerOf(user.id, community_id),
  when: customer ? { is: { customer_id: customer.customer_id } } : "absent",
});

/**
 * Links a new Stripe customer and a member in both directions. If the previous customer was deleted at Stripe
 * (`deletedCustomerId`), it becomes a former customer. Throws a `Conflict` if another customer has been linked in the meantime,
 * if the member has changed since they were read, as the new customer has a copy of their address, or if one of `checks` does not
 * hold.
 *
 * @throws Problem `invalid_token` if the person was erased
 */
export async function tie(
  table: Writer,
  link: Link,
  member: StoredMember | undefined,
  deletedCustomerId: string | undefined,
  checks: readonly Write[] = [],
): Promise<void> {
  const { customer_id, community_id, member_id, user_id } = link;
  await write(table, [
    notErased(user_id, unauthorized("invalid_token")),
    {
      check: keys.member(community_id, member_id),
      when: member ? { is: pick(member, ["version", "address_version"]) } : "absent",
    },
    { put: { ...keys.customer(customer_id), ...link } },
    {
      update: keys.customerOf(user_id, community_id),
      set: { customer_id },
      when: { is: { customer_id: deletedCustomerId ?? null } },
    },
    ...(deletedCustomerId === undefined
      ? []
      : [{ update: keys.customer(deletedCustomerId), set: { is_former: true }, when: "exists" as const }]),
    ...checks,
  ]);
}

/**
 * Links a customer and a member whom only Stripe knows, or a member who has no customer. Throws a `Conflict` if one of them has
 * been linked in the meantime.
 *
 * @throws Error if the person has another customer or member in the community
 */
export async function linkAgain(table: Writer, link: Link): Promise<void> {
  const { customer_id, community_id, member_id, user_id } = link;
  const [place, membership, member] = await Promise.all([
    find(table, user_id, community_id),
    memberships.find(table, user_id, community_id),
    table.get(keys.member(community_id, member_id)),
  ]);
  const known = place?.customer_id ?? (member && fromItem(member).stripe_customer_id) ?? null;
  if (known === customer_id) throw new Conflict("The customer has been linked");
  const others = [place, membership].filter((one) => one && one.member_id !== member_id);
  if (known !== null || others.length > 0)
    throw new Error(`User ${user_id} has another customer or member than ${customer_id} and ${member_id}`);
  const key = keys.customerOf(user_id, community_id);
  await write(table, [
    notErased(user_id),
    { put: { ...keys.customer(customer_id), ...link }, when: "absent" },
    place
      ? { update: key, set: { customer_id }, when: { is: { customer_id: null, member_id } } }
      : { put: { ...key, member_id, customer_id }, when: "absent" },
    ...(member ? [] : [{ check: keys.memberParent(member_id), when: "absent" as const }]),
  ]);
}
