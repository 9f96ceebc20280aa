import { pick } from "../../pick.ts";
import { type AuditEntry, appendAuditEntry, bySystem } from "../activity.ts";
import { moveDue, scheduledEnd } from "../due.ts";
import { keys } from "../keys.ts";
import type { Write, Writer } from "../table.ts";
import { timeOver, write } from "../write.ts";
import { memberIndex } from "./index-keys.ts";
import { accessKeyOf, keyOf, type StoredMember } from "./item.ts";
import { recordMovement } from "./movements.ts";

/** When a membership ends or has ended. */
type Term = Partial<
  Pick<
    StoredMember,
    | "status"
    | "cancel_at_period_end"
    | "cancel_at"
    | "canceled_at"
    | "ended_at"
    | "monthly_cents"
    | "price_cents"
    | "scheduled_change"
  >
>;

/** The fields of a term that the person's membership copies. */
export const termNames = ["status", "cancel_at_period_end", "cancel_at", "price_cents", "scheduled_change"] as const;

/** A change of the term of a membership without a subscription in Stripe, with its audit entry. */
export type TermChange = { readonly term: Term; readonly entry: Omit<AuditEntry, "actor" | "request_id"> };

/** Whether an end is scheduled. Imported members may have only `cancel_at`. */
export const isEnding = ({
  cancel_at_period_end,
  cancel_at,
}: Pick<StoredMember, "cancel_at_period_end" | "cancel_at">) => cancel_at_period_end || cancel_at !== null;

/** Whether the end is scheduled for the end of the period or before it. A later one comes after renewals. */
export const endsWithPeriod = ({ cancel_at_period_end, cancel_at, current_period_end }: StoredMember): boolean =>
  cancel_at_period_end || (cancel_at !== null && cancel_at <= current_period_end);

/** Ends the membership. `endedAt` is an ISO 8601 time. */
export function endOf(member: StoredMember, endedAt: string): TermChange {
  const term = {
    status: "canceled",
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: member.canceled_at ?? endedAt,
    ended_at: endedAt,
    monthly_cents: 0,
    price_cents: null,
    scheduled_change: null,
  } as const;
  return { term, entry: entryOf("canceled", member, term, ["status", "ended_at"]) };
}

/** Schedules the end of the membership for the end of its period. */
export function scheduledEndOf(member: StoredMember, now: Date): TermChange {
  const { current_period_end: cancel_at } = member;
  const term = { cancel_at_period_end: true, cancel_at, canceled_at: now.toISOString() };
  return { term, entry: entryOf("cancel_scheduled", member, term, ["cancel_at"]) };
}

/** Withdraws the scheduled end of the membership. */
export function withdrawalOf(member: StoredMember): TermChange {
  const term = { cancel_at_period_end: false, cancel_at: null, canceled_at: null };
  return { term, entry: entryOf("uncanceled", member, term, ["cancel_at"]) };
}

const entryOf = (
  action: AuditEntry["action"],
  member: StoredMember,
  term: Term,
  names: (keyof Term)[],
): TermChange["entry"] => ({ action, before: pick(member, names), after: pick({ ...member, ...term }, names) });

/**
 * Writes a change of term in one transaction with its audit entry and the writes in `more`. A synchronization that read the
 * former term cannot write it back. Throws a `Conflict` if the member has changed since it was read.
 */
export async function changeTerm(
  table: Writer,
  member: StoredMember,
  { term, entry }: TermChange,
  by: Pick<AuditEntry, "actor" | "request_id">,
  more: readonly Write[] = [],
): Promise<StoredMember> {
  const now = timeOver(member, table.runtime.now());
  const { version, sync_version } = member;
  const set = { ...term, version: version + 1, updated_at: now.toISOString() };
  const after: StoredMember = { ...member, ...set };
  await write(table, [
    {
      update: keyOf(member),
      set: {
        ...set,
        status_pk: memberIndex.status(after.community_id, after.status),
        access_pk: accessKeyOf(after),
      },
      when: { is: { version, sync_version } },
    },
    {
      update: keys.membership(member.user.id, member.community_id),
      set: pick(after, termNames),
      when: "exists",
    },
    ...moveDue(member, after),
    ...recordMovement(member, after, now),
    appendAuditEntry(table, member, { ...entry, ...by }, now),
    ...more,
  ]);
  return after;
}

/** Ends a membership whose scheduled end has passed. @returns the member, unchanged if no end was due */
export async function endIfDue(table: Writer, member: StoredMember, now: Date): Promise<StoredMember> {
  const endsAt = scheduledEnd(member);
  if (endsAt === undefined || endsAt > now.toISOString()) return member;
  return changeTerm(table, member, endOf(member, endsAt), { actor: bySystem });
}
