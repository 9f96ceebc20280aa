import * as v from "valibot";
import type { Operation } from "../../domain/operation.ts";
import { Id } from "../../domain/scalars.ts";
import { pick } from "../../pick.ts";
import { type AuditEntry, appendAuditEntry } from "../activity.ts";
import { keys, memberIndex } from "../keys.ts";
import { completeOperation, type StoredRefund } from "../operations.ts";
import type { Reader, Writer } from "../table.ts";
import { type Write, write } from "../write.ts";
import { itemOf, keyOf, membershipOf, parentOf, type StoredMember, searchOf } from "./item.ts";

/** Whose a Stripe customer is. */
export const Link = v.object({ customer_id: v.string(), community_id: Id, member_id: Id, user_id: Id });
export type Link = v.InferOutput<typeof Link>;

export async function findLink(table: Reader, customerId: string): Promise<Link | undefined> {
  const item = await table.get(keys.customer(customerId));
  return item && v.parse(Link, item);
}

/** What Stripe owns of a member: nothing but a sync writes it, and a sync writes nothing else. */
const stripeOwnedNames = [
  "status",
  "tier_id",
  "current_period_start",
  "current_period_end",
  "cancel_at_period_end",
  "cancel_at",
  "trial_start",
  "trial_end",
  "canceled_at",
  "ended_at",
  "shipping_address",
  "total_refunded_cents",
  "lifetime_spend_cents",
  "refunds",
  "older_refunds_cents",
  "stripe_customer_id",
  "stripe_subscription_id",
  "first_granted_at",
] as const satisfies (keyof StoredMember)[];

export type StripeOwned = Pick<StoredMember, (typeof stripeOwnedNames)[number]>;

export const stripeOwned = (member: StoredMember): StripeOwned => pick(member, stripeOwnedNames);

export type Sync = {
  /** The member as it was read before Stripe was asked; undefined for one that is new. */
  readonly before: StoredMember | undefined;
  readonly after: StoredMember;
  /** Refunds that are new or have changed. */
  readonly refunds: readonly StoredRefund[];
  /** Operations whose effect Stripe shows. */
  readonly done: readonly Operation[];
  /** What follows from what Stripe shows: operations, and the mark of a tier that is in use from now on. */
  readonly begun: readonly Write[];
  readonly auditEntries: readonly AuditEntry[];
  /** The Stripe event that this was done for. */
  readonly eventId: string | undefined;
};

/** The event was handled before. */
export class Repeated extends Error {
  override readonly name = "Repeated";
}

/** The most writes that leave room for everything else in one transaction. */
const maxRefunds = 40;

/**
 * Writes what Stripe holds, over the version of the copy that was read before Stripe was asked.
 *
 * @throws Repeated when the event is marked as handled; a `Conflict` when another sync came first
 */
export async function save(table: Writer, sync: Sync, now: Date): Promise<void> {
  const { before, after, refunds, done, begun, auditEntries, eventId } = sync;
  const puts = refunds.map(
    (refund): Write => ({
      put: { ...keys.refund(after.id, refund.issued_at, refund.refund_id), ...refund },
    }),
  );
  // Refunds are facts: written ahead of the sums that hold them, they are only early.
  const early = puts.slice(0, Math.max(0, puts.length - maxRefunds));
  for (let n = 0; n < early.length; n += 100) await write(table, early.slice(n, n + 100));

  await write(table, [
    ...(before ? changed(before, after) : added(after)),
    ...puts.slice(early.length),
    ...done.flatMap((operation) => completeOperation(operation, now)),
    ...begun,
    ...auditEntries.map((entry) => appendAuditEntry(table, after.id, entry, now)),
    ...(eventId === undefined ? [] : [handled(eventId, now)]),
  ]);
}

const added = (member: StoredMember): Write[] => [
  ...[itemOf(member), parentOf(member), ...searchOf(member)].map((put): Write => ({ put, when: "absent" })),
  { put: membershipOf(member), when: "absent" },
  due(member),
];

function changed(before: StoredMember, after: StoredMember): Write[] {
  const { status, tier_id, cancel_at, cancel_at_period_end, current_period_end, community_id } = after;
  const isVisible = after.updated_at !== before.updated_at;
  const writes: Write[] = [
    {
      update: keyOf(before),
      set: {
        ...stripeOwned(after),
        sync_version: before.sync_version + 1,
        status_pk: memberIndex.status(community_id, status),
        tier_pk: memberIndex.tier(community_id, tier_id),
        ...(isVisible && { updated_at: after.updated_at }),
      },
      ...(isVisible && { add: { version: 1 } }),
      // An address that was edited since was not yet Stripe's when Stripe was asked.
      when: { is: { sync_version: before.sync_version, address_version: before.address_version } },
    },
  ];
  if (!isVisible) return writes;
  const set = { status, tier_id, cancel_at, cancel_at_period_end, current_period_end };
  writes.push({ update: keys.membership(after.user.id, community_id), set, when: "exists" });
  if (after.current_period_end !== before.current_period_end) writes.push(due(after));
  return writes;
}

const day = 24 * 60 * 60;
const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** Has the member looked at once their period is over, or today if it is, should Stripe's own word not arrive. */
export function due({ community_id, id, current_period_end }: StoredMember, now = new Date(0)): Write {
  const at = new Date(Math.max(Date.parse(current_period_end), now.getTime()));
  const expires_at = seconds(at) + 30 * day;
  const key = keys.due(at.toISOString().slice(0, 10), community_id, id);
  return { put: { ...key, community_id, member_id: id, expires_at } };
}

const handled = (eventId: string, now: Date): Write => ({
  put: { ...keys.stripeEvent(eventId), handled_at: now.toISOString(), expires_at: seconds(now) + 35 * day },
  when: "absent",
  otherwise: new Repeated("The event was handled before"),
});

/** Whether an event was handled; its marker is written with what it led to. */
export const isHandled = async (table: Reader, eventId: string): Promise<boolean> =>
  (await table.get(keys.stripeEvent(eventId))) !== undefined;

/** Marks an event whose effect others have written already. */
export async function markHandled(table: Writer, eventId: string, now: Date): Promise<void> {
  await write(table, [handled(eventId, now)]).catch((error: unknown) => {
    if (!(error instanceof Repeated)) throw error;
  });
}
