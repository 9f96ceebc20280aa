import * as v from "valibot";
import { erasedValues } from "../fields/field.ts";
import { userFields } from "../fields/user.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { type Actor, type AuditEntry, appendAuditEntries, bySystem, byUser } from "./activity.ts";
import { addressHash } from "./address-hash.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import { endingOf } from "./members/ending.ts";
import { accessKeyOf, keyOf, type StoredMember } from "./members/item.ts";
import * as members from "./members/members.ts";
import * as memberships from "./members/memberships.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { type User, userIdOf } from "./users.ts";
import { timeOver, write } from "./write.ts";

/** The record of an erasure: the data that later steps need and the profile no longer has, and the result. */
const Erasure = v.object({
  user_id: Id,
  /** Identifies the account in the user pool until the account is deleted. */
  sub: v.nullable(v.string()),
  /** The user who requested the erasure. Null if the erasure is repeated in a restored table. */
  actor_id: v.nullable(Id),
  request_id: v.nullable(v.string()),
  begun_at: Timestamp,
  /** When all steps were done. */
  finished_at: v.nullable(Timestamp),
  /** The hash of the person's email address, which finds invitations to it. Null once the schedule has checked again. */
  address_hash: v.optional(v.nullable(v.string()), null),
  /** The same for the address of the person's account in the user pool. */
  account_address_hash: v.optional(v.nullable(v.string()), null),
  /** How many items of each kind were changed or deleted. */
  counts: v.record(v.string(), v.number()),
  /** Time of the schedule's next check. */
  due_at: v.nullable(Timestamp),
});
export type Erasure = v.InferOutput<typeof Erasure>;

/** A person to erase. `account_email` is the verified address of their account, which may be another than that of the profile. */
export type ErasedPerson = User & { readonly account_email?: string | undefined };

/** The hashes of a person's addresses. */
export const addressHashesOf = ({ email, account_email = "" }: ErasedPerson) => ({
  address_hash: email === "" ? null : addressHash(email),
  account_address_hash: account_email === "" ? null : addressHash(account_email),
});

export async function find(table: Reader, userId: number): Promise<Erasure | undefined> {
  const item = await table.get(keys.erasure(userId));
  return item && v.parse(Erasure, item);
}

/**
 * Marks a person as erased. From then on, the profile holds only the id, nobody is found by the email address, tokens with
 * the `sub` are refused, and the schedule completes the erasure. Throws a `Conflict` if the profile has changed since it
 * was read, or was marked by another request.
 */
export async function begin(
  table: Writer,
  user: ErasedPerson,
  counts: Erasure["counts"],
  by: Actor | undefined,
): Promise<Erasure> {
  const now = table.runtime.now();
  const [subject, email] = await Promise.all([
    user.sub === null ? undefined : table.get(keys.subject(user.sub)),
    user.email === "" ? undefined : table.get(keys.email(user.email)),
  ]);
  const at = timeOver(user, now).toISOString();
  const { sub } = user;
  const times = { begun_at: at, finished_at: null, due_at: at };
  const origin = { actor_id: by?.id ?? null, request_id: by?.requestId ?? null };
  const erasure: Erasure = { user_id: user.id, sub, ...origin, ...addressHashesOf(user), counts, ...times };
  const writes: Write[] = [
    { put: { ...keys.erasure(user.id), ...erasure }, when: "absent" },
    { put: { ...keys.openErasure(at, user.id), user_id: user.id } },
    {
      update: keys.user(user.id),
      set: { ...erasedValues(userFields, user), erased_at: at, updated_at: at },
      when: { is: { updated_at: user.updated_at } },
    },
    ...(sub === null ? [] : markOf(sub, { subject, user_id: user.id, erased_at: at })),
    ...(email && userIdOf(email) === user.id
      ? [{ delete: keys.email(user.email), when: { is: { user_id: user.id } } } as const]
      : []),
  ];
  await write(table, writes);
  return erasure;
}

type Mark = { readonly subject: Item | undefined; readonly user_id: number; readonly erased_at: string };

/** Refuses the tokens of an account, also if the person has not signed in to it. */
function markOf(sub: string, { subject, user_id, erased_at }: Mark): Write[] {
  const key = keys.subject(sub);
  if (!subject) return [{ put: { ...key, user_id, erased_at }, when: "absent" }];
  return userIdOf(subject) === user_id ? [{ update: key, set: { erased_at }, when: "exists" }] : [];
}

/**
 * Marks a membership and its member as erased. Writes that are based on an earlier state then throw a `Conflict`. Ends
 * the membership unless it has a subscription, whose end Stripe reports. A checkout may have completed just before the
 * mark. Throws a `Conflict` if the member changes at the same time.
 */
export async function markMembership(
  table: Writer,
  { user_id, actor_id, request_id, begun_at: erased_at }: Erasure,
  { community_id, member_id, erased_at: marked_at }: memberships.Membership,
): Promise<void> {
  if (marked_at !== undefined) return;
  const member = await members.find(table, community_id, member_id);
  const key = keys.membership(user_id, community_id);
  const when = { is: { erased_at: undefined } };
  if (!member) return write(table, [{ update: key, set: { erased_at }, when }]);
  const { version, sync_version, address_version } = member;
  const now = timeOver(member, table.runtime.now());
  const ending = member.stripe_subscription_id === null ? endingOf(member, now) : undefined;
  const by = { actor: actor_id === null ? bySystem : byUser(actor_id), request_id };
  const entries: AuditEntry[] = [...(ending ? [{ ...ending.entry, ...by }] : []), { action: "erased", ...by }];
  const versions = { version: version + 1, address_version: (address_version ?? 0) + 1 };
  const access_pk = accessKeyOf({ ...member, erased_at });
  await write(table, [
    { update: key, set: { erased_at, ...ending?.membership }, when },
    {
      update: keyOf(member),
      set: { erased_at, ...ending?.member, access_pk, ...versions, updated_at: now.toISOString() },
      when: { is: { version, sync_version, address_version } },
    },
    ...(ending?.writes ?? []),
    ...appendAuditEntries(table, member, entries, now),
  ]);
}

/**
 * Ends the membership of an erased person whose Stripe customer is deleted. Earlier versions of Odis did not end it,
 * and Stripe does not report the end of a deleted subscription. Throws a `Conflict` if the member has changed since it
 * was read.
 */
export async function endErased(table: Writer, member: StoredMember): Promise<void> {
  const { community_id } = member;
  const now = timeOver(member, table.runtime.now());
  const ending = endingOf(member, now);
  if (!ending) return;
  const { version, sync_version, address_version = 0 } = member;
  const versions = { version: version + 1, address_version: address_version + 1 };
  await write(table, [
    { update: keys.membership(member.user.id, community_id), set: ending.membership, when: "exists" },
    {
      update: keyOf(member),
      set: { ...ending.member, ...versions, updated_at: now.toISOString() },
      when: { is: { version, sync_version } },
    },
    ...ending.writes,
    ...appendAuditEntries(table, member, [{ action: ending.entry.action, actor: bySystem }], now),
  ]);
}

/** How long tokens of a deleted account are refused, in seconds. No token is valid for longer. */
const day = 24 * 60 * 60;

/**
 * Records that all steps are done. At `due_at`, the schedule checks again for items that were written during the
 * erasure.
 */
export async function finish(table: Writer, erasure: Erasure, now: Date, due_at: string): Promise<void> {
  const { user_id, sub } = erasure;
  const subject = sub === null ? undefined : await table.get(keys.subject(sub));
  const expires_at = Math.floor(now.getTime() / 1000) + day;
  const set = { finished_at: now.toISOString(), sub: null, due_at };
  await write(table, [
    ...offList(erasure),
    { put: { ...keys.openErasure(due_at, user_id), user_id } },
    { update: keys.erasure(user_id), set, when: { is: { due_at: erasure.due_at } } },
    ...(sub !== null && subject ? [{ update: keys.subject(sub), set: { expires_at }, when: "exists" } as const] : []),
  ]);
}

/** Removes a completed erasure from the list of the schedule. */
export async function close(table: Writer, erasure: Erasure): Promise<void> {
  const { user_id, due_at } = erasure;
  const set = { due_at: null, address_hash: null, account_address_hash: null };
  await write(table, [...offList(erasure), { update: keys.erasure(user_id), set, when: { is: { due_at } } }]);
}

const offList = ({ due_at, user_id }: Erasure): Write[] =>
  due_at === null ? [] : [{ delete: keys.openErasure(due_at, user_id) }];

/** Erasures that the schedule has to check, in the order of their due times. */
export async function* due(table: Reader, now: Date): AsyncGenerator<Erasure> {
  const { pk } = keys.openErasure("", 0);
  let after: { readonly pk: string; readonly sk: string } | undefined;
  do {
    const page = await table.query({ pk, to: now.toISOString(), after, limit: 25 });
    for (const item of page.items) {
      const erasure = await find(table, userIdOf(item));
      if (erasure) yield erasure;
    }
    after = page.last;
  } while (after);
}
