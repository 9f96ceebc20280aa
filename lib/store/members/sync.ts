import * as v from "valibot";
import { canonicalJson } from "../../canonical-json.ts";
import type { Operation } from "../../domain/operation.ts";
import type { FactChange } from "../../fields/fact-change.ts";
import { setBy } from "../../fields/field.ts";
import { memberFields } from "../../fields/member.ts";
import { pick } from "../../pick.ts";
import { Id } from "../../values/scalars.ts";
import { type AuditEntry, appendAuditEntries } from "../activity.ts";
import { moveDue } from "../due.ts";
import { Conflict } from "../failure.ts";
import { handled, markHandled } from "../handled-events.ts";
import { keys } from "../keys.ts";
import { completeAll } from "../operations.ts";
import type { Reader, Write, Writer } from "../table.ts";
import { notErased, stillHas } from "../users.ts";
import { write } from "../write.ts";
import { type Confirmation, confirm, unchangedSince } from "./confirmation.ts";
import { memberIndex } from "./index-keys.ts";
import {
  accessKeyOf,
  itemOf,
  keyOf,
  membershipOf,
  parentOf,
  renewalNames,
  type StoredMember,
  searchOf,
} from "./item.ts";
import { recordMovement } from "./movements.ts";

/** The member and user of a Stripe customer. */
export const Link = v.object({
  customer_id: v.string(),
  community_id: Id,
  member_id: Id,
  user_id: Id,
  /** Set if the customer was deleted at Stripe and the member has another customer. */
  is_former: v.optional(v.literal(true)),
});
export type Link = v.InferOutput<typeof Link>;

export async function findLink(table: Reader, customerId: string): Promise<Link | undefined> {
  const item = await table.get(keys.customer(customerId));
  return item && v.parse(Link, item);
}

/** Fields that Stripe owns. Only synchronizations and imports write them. */
const stripeOwnedNames = setBy(memberFields, "sync");

export type StripeOwned = Pick<StoredMember, (typeof stripeOwnedNames)[number]>;

export const stripeOwned = (member: StoredMember): StripeOwned => pick(member, stripeOwnedNames);

type SyncedAttributes = Partial<StripeOwned> &
  Partial<Pick<StoredMember, "changed_facts" | "sync_version" | "updated_at">> & {
    readonly status_pk: string;
    readonly tier_pk: string;
    readonly access_pk: string;
  };

/** The attributes that a synchronization sets in a member's item. Others do not compile, not even in a spread. */
export const syncedAttributes = <Set extends SyncedAttributes>(
  set: Set & { readonly [Name in Exclude<keyof Set, keyof SyncedAttributes>]: never },
): Set => set;

export type Sync = {
  /** The member as stored before Stripe was read. Undefined for a new member. */
  readonly before: StoredMember | undefined;
  readonly after: StoredMember;
  /** Of the member before. Read before Stripe, like the member. */
  readonly confirmation: Confirmation;
  /** New and changed payments, refunds and disputes. */
  readonly facts: readonly Fact[];
  /** The changes that the facts cause in the community's list of transactions. */
  readonly transactions: readonly Write[];
  /** Operations whose effect was found at Stripe. */
  readonly done: readonly Operation[];
  /** Writes that follow from the data of Stripe: new operations, and the mark of a tier as in use. */
  readonly begun: readonly Write[];
  readonly auditEntries: readonly AuditEntry[];
  /** The Stripe event that caused the synchronization. */
  readonly eventId: string | undefined;
};

/**
 * The write of a payment, refund or dispute, conditional on the state that was read, with its audit entry and the changes
 * that events report.
 */
export type Fact = { readonly write: Write; readonly entry?: AuditEntry; readonly changes?: readonly FactChange[] };

/** Maximum number of writes in a DynamoDB transaction. */
const mostActions = 100;

/**
 * Maximum number of payments, refunds and disputes in a transaction that precedes the sums. Each takes two writes, with
 * its audit entry. One further write updates the member, and one checks its confirmation.
 */
const factsAhead = 49;

/**
 * Writes the data of Stripe, if the stored copy is unchanged since before Stripe was read. Uses several transactions if
 * there are too many writes for one: first the list of transactions, which is derived from the stored facts, so that a
 * repetition finds it incomplete as long as they are not stored; then the payments, refunds and disputes with their audit
 * entries, then the sums, then the ends of operations. After a crash, the next synchronization writes what is missing. Each transaction lists
 * its changed facts in the member's item, from which events are derived. A new member has no item until the sums are
 * written, so earlier facts cause no events.
 *
 * If nothing differs, only the confirmation is counted. A slower synchronization, which has read Stripe before, then fails.
 *
 * @throws Repeated if the event is marked as handled; a `Conflict` if another synchronization was faster
 */
export async function save(table: Writer, sync: Sync, now: Date): Promise<void> {
  const { before, after, confirmation, facts, transactions, done, begun, auditEntries, eventId } = sync;
  if (before && changesNothing(sync, before)) {
    await confirm(table, before, confirmation);
    return eventId === undefined ? undefined : markHandled(table, eventId, now);
  }
  const ofFacts = facts.flatMap(({ entry }) => entry ?? []);
  const entries = appendAuditEntries(table, after, [...auditEntries, ...ofFacts], now);
  const ownEntries = entries.splice(0, auditEntries.length);
  const sumsWith = (changed_facts: StoredMember["changed_facts"]) => [
    ...(before ? changed(before, { ...after, changed_facts }, confirmation) : added({ ...after, changed_facts })),
    ...recordMovement(before, after, now),
    ...begun,
    ...ownEntries,
    ...(eventId === undefined ? [] : [handled(eventId, now)]),
  ];
  const ahead = facts.map((fact) => (fact.entry ? [fact.write, ...entries.splice(0, 1)] : [fact.write]));
  const complete = (from: number, to?: number) => completeAll(done.slice(from, to), now);
  const whole = [...sumsWith(changedFacts(facts, now)), ...ahead.flat(), ...transactions, ...complete(0)];
  if (whole.length <= mostActions) return write(table, whole);

  const noteOf = (changed_facts: StoredMember["changed_facts"]) =>
    before
      ? [noteFacts(before, changed_facts), { check: membershipKeyOf(before), when: unchangedSince(confirmation) }]
      : [notErased(after.user.id, isErased())];
  for (let n = 0; n < transactions.length; n += mostActions - 2)
    await write(table, [...noteOf(undefined), ...transactions.slice(n, n + mostActions - 2)]);
  for (let n = 0; n < ahead.length; n += factsAhead) {
    const changed_facts = changedFacts(facts.slice(n, n + factsAhead), now);
    await write(table, [...noteOf(changed_facts), ...ahead.slice(n, n + factsAhead).flat()]);
  }
  const sums = sumsWith(undefined);
  const room = Math.floor((mostActions - sums.length) / 3);
  await write(table, [...sums, ...complete(0, room)]);
  for (let n = room; n < done.length; n += 33) await write(table, complete(n, n + 33));
}

function changedFacts(facts: readonly Fact[], now: Date): StoredMember["changed_facts"] {
  const changes = facts.flatMap((fact) => fact.changes ?? []);
  return changes.length === 0 ? undefined : { at: now.toISOString(), changes };
}

/**
 * Lists the changed facts in the member's item. If no change causes an event, only checks that the copy is unchanged.
 */
function noteFacts(before: StoredMember, changed_facts: StoredMember["changed_facts"]): Write {
  const when = { is: pick(before, ["sync_version", "erased_at"]) };
  const key = keyOf(before);
  return changed_facts ? { update: key, set: { changed_facts }, add: { version: 1 }, when } : { check: key, when };
}

const isErased = () => new Conflict("The person has been erased");

const added = (member: StoredMember): Write[] => [
  stillHas(member.user),
  notErased(member.user.id, isErased()),
  ...[itemOf(member), parentOf(member), ...searchOf(member)].map((put): Write => ({ put, when: "absent" })),
  { put: { ...membershipOf(member), confirmed_version: member.sync_version }, when: "absent" },
  ...moveDue(undefined, member),
];

const membershipKeyOf = ({ user, community_id }: StoredMember) => keys.membership(user.id, community_id);

/** Whether Stripe's data equal the copy, and the latest synchronization has written this copy. */
function changesNothing({ after, confirmation, ...writes }: Sync, before: StoredMember): boolean {
  const { facts, transactions, done, begun, auditEntries } = writes;
  return (
    confirmation.confirmed_version === before.sync_version &&
    [facts, transactions, done, begun, auditEntries].every(({ length }) => length === 0) &&
    canonicalJson(stripeOwned(after)) === canonicalJson(stripeOwned(before))
  );
}

function changed(before: StoredMember, after: StoredMember, confirmation: Confirmation): Write[] {
  const { status, tier_id, cancel_at, cancel_at_period_end, current_period_end, community_id } = after;
  const renewal = pick(after, renewalNames);
  const isVisible = after.updated_at !== before.updated_at;
  const { shipping_address, ...impersonal } = stripeOwned(after);
  const sync_version = before.sync_version + 1;
  return [
    {
      update: keyOf(before),
      set: syncedAttributes({
        ...impersonal,
        ...(before.erased_at === undefined && { shipping_address }),
        changed_facts: after.changed_facts,
        sync_version,
        status_pk: memberIndex.status(community_id, status),
        tier_pk: memberIndex.tier(community_id, tier_id),
        access_pk: accessKeyOf(after),
        ...(isVisible && { updated_at: after.updated_at }),
      }),
      ...(isVisible && { add: { version: 1 } }),
      // The data of Stripe lack an address that was edited since Stripe was read. A block changes when access begins or
      // ends. The term of a membership without a subscription is changed in Odis. A repeated import changes what the first
      // synchronization is based on.
      when: {
        is: pick(before, ["sync_version", "address_version", "is_blocked", "status", "cancel_at", "imported"]),
      },
    },
    ...moveDue(before, after),
    {
      update: membershipKeyOf(after),
      set: {
        ...(isVisible && { status, tier_id, cancel_at, cancel_at_period_end, current_period_end, ...renewal }),
        confirmed_version: sync_version,
      },
      when: unchangedSince(confirmation),
    },
  ];
}
