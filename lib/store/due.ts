import * as v from "valibot";
import { trialAnnouncementAt } from "../domain/trial.ts";
import { Id } from "../values/scalars.ts";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { StoredMember } from "./members/item.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A task of the schedule. */
const Task = v.variant("kind", [
  v.object({ kind: v.literal("operation"), member_id: Id, operation_id: v.string() }),
  v.object({ kind: v.literal("member"), community_id: Id, member_id: Id }),
  /** A member to synchronize again, because they were blocked, or an earlier version of Odis stored less about them. */
  v.object({ kind: v.literal("copy"), community_id: Id, member_id: Id }),
  v.object({ kind: v.literal("event"), event_id: v.string() }),
  /** A profile to copy. `had` is which of the details at Stripe it had before and has changed. */
  v.object({
    kind: v.literal("profile"),
    user_id: Id,
    had: v.optional(v.array(v.picklist(["email", "name"])), []),
  }),
  /** Expiry of the open checkout sessions of a tier or community that was archived. */
  v.object({ kind: v.literal("sessions"), community_id: Id }),
  /** A tier that was renamed, whose product at Stripe may have the former name. */
  v.object({ kind: v.literal("product"), community_id: Id, tier_id: Id }),
]);
export type Task = v.InferOutput<typeof Task>;

/**
 * The task of a row. Rows of operations that version 1.0.0 has written have no kind.
 *
 * @throws Error for a row that does not match its list
 */
export const taskOf = (row: Item): Task => v.parse(Task, { kind: "operation", ...row });

/** Lists of tasks, ordered by the time from which they are due. */
const lists = {
  operations: keys.openOperation("", "").pk,
  members: keys.due("", 0, 0).pk,
  /** Failed tasks, by the time of the next attempt. */
  failed: keys.failed("", "").pk,
};
export type List = keyof typeof lists;

/** A row of a list. Without a key for a failed task that had no row. */
export type Row = Item & Partial<Key>;

const minute = 60_000;
const day = 24 * 60 * minute;

/** Longest time between two checks of a member, in milliseconds. A billing period may be a year. */
const longestWait = 30 * day;

/** Whether a check of a member is due (`nextLookAt`). */
export function isDue(member: StoredMember, now: Date): boolean {
  const at = nextLookAt(member);
  return at !== undefined && at <= now.toISOString();
}

/**
 * The time of a member's next check: the result of `dueAt`, or the next routine check if that is earlier. Routine
 * checks are 30 days apart. They find changes for which Stripe has sent no event.
 *
 * @param now the time of the last check; undefined before the first one
 */
export function nextLookAt(member: StoredMember, now?: Date): string | undefined {
  const at = dueAt(member);
  if (at === undefined || member.stripe_customer_id === null) return at;
  const start = Date.parse(member.current_period_start);
  const made = now ? Math.max(0, Math.floor((now.getTime() - start) / longestWait)) : 0;
  const check = new Date(start + (made + 1) * longestWait).toISOString();
  return check < at ? check : at;
}

/**
 * When a membership without a subscription in Stripe is scheduled to end, as an ISO 8601 time. Undefined if no end is
 * scheduled, and for memberships that Stripe ends.
 */
export function scheduledEnd(member: StoredMember): string | undefined {
  const { status, stripe_subscription_id, cancel_at, cancel_at_period_end, current_period_end } = member;
  if (status === "canceled" || stripe_subscription_id !== null) return undefined;
  return cancel_at ?? (cancel_at_period_end ? current_period_end : undefined);
}

/**
 * The next time at which a member has to be checked. For a Stripe customer, this is the end of the period, in case
 * Stripe sends no event, or the announcement of the end of a trial. For a membership without a subscription, it is the
 * scheduled end.
 */
function dueAt(member: StoredMember): string | undefined {
  const { status, stripe_customer_id, current_period_end } = member;
  if (status === "canceled") return undefined;
  const times = [
    scheduledEnd(member),
    ...(stripe_customer_id === null ? [] : [trialAnnouncementAt(member), current_period_end]),
  ];
  return times.filter((time) => time !== undefined).toSorted()[0];
}

function dueRow(member: StoredMember) {
  const at = nextLookAt(member);
  return at === undefined ? undefined : memberRow(at, member.community_id, member.id);
}

const memberRow = (at: string, community_id: number, member_id: number): Key & Task => ({
  ...keys.due(at, community_id, member_id),
  kind: "member",
  community_id,
  member_id,
});

/**
 * The possible rows of a member's routine checks up to the next one. The list holds at most one of them. Empty if `dueAt`
 * is earlier than the next routine check.
 */
export function routineChecks(member: StoredMember, now: Date): (Key & Task)[] {
  const at = nextLookAt(member, now);
  if (at === undefined || at === dueAt(member)) return [];
  const start = Date.parse(member.current_period_start);
  return Array.from({ length: (Date.parse(at) - start) / longestWait }, (_, n) => {
    const time = new Date(start + (n + 1) * longestWait).toISOString();
    return memberRow(time, member.community_id, member.id);
  });
}

/**
 * Schedules a synchronization of a member. Repeated calls write the same row. It has no time, so that the same transaction can
 * write a row of the member's checks, which may have any time.
 */
export const copyAgain = (community_id: number, member_id: number) => {
  const put: Key & Task = {
    ...keys.due("", community_id, member_id),
    kind: "copy",
    community_id,
    member_id,
  };
  return { put } satisfies Write;
};

/** Schedules the expiry of the open checkout sessions of a tier or community that the same transaction archives. */
export const expireSessions = (community_id: number, now: Date): Write => {
  const name = `sessions-${community_id}`;
  return { put: { ...keys.openOperation(now.toISOString(), name), kind: "sessions", name, community_id } };
};

/** Schedules the copy of a tier's name to its product at Stripe. The same transaction renames the tier. */
export const renameProduct = (community_id: number, tier_id: number, now: Date): Write => {
  const name = `product-${tier_id}`;
  return { put: { ...keys.openOperation(now.toISOString(), name), kind: "product", name, community_id, tier_id } };
};

/** Deletes or moves the due row of a member whose status, customer, period, trial or scheduled end has changed. */
export function moveDue(before: StoredMember | undefined, after: StoredMember): Write[] {
  const [old, next] = [before && dueRow(before), dueRow(after)];
  if (old?.sk === next?.sk) return [];
  return [...(old ? [{ delete: { pk: old.pk, sk: old.sk } }] : []), ...(next ? [{ put: next }] : [])];
}

/**
 * Pages of due rows, oldest first. Starts where the previous pass stopped, and continues with the rows before that. The
 * end of a page is stored before the page is processed, so that a row that crashes the process does not block later rows.
 */
export async function* pagesOf(table: Writer, list: List, until: Date): AsyncGenerator<readonly Item[]> {
  const pk = lists[list];
  const marker = await table.get(keys.progress(list));
  const all = { to: until.toISOString(), after: undefined };
  const start = marker && String(marker.after);
  let isMarked = start !== undefined;
  for (const part of start === undefined
    ? [all]
    : [
        { ...all, after: { pk, sk: start } },
        { ...all, to: start },
      ]) {
    let after: Key | undefined = part.after;
    do {
      const { items, last } = await table.query({ pk, to: part.to, after, limit: pageSize });
      const end = items.at(-1);
      if (end) await write(table, [{ put: { ...keys.progress(list), after: end.sk } }]);
      isMarked ||= end !== undefined;
      if (end) yield items;
      after = last;
    } while (after);
  }
  if (isMarked) await write(table, [{ delete: keys.progress(list) }]);
}

const pageSize = 25;

/** Removes a row from its list. */
export const remove = (table: Writer, row: Row): Promise<void> => write(table, off(row));

const off = ({ pk, sk }: Row): Write[] => (pk === undefined || sk === undefined ? [] : [{ delete: { pk, sk } }]);

/** Moves a member's row to a later time. */
export const putOff = (table: Writer, row: Row, { community_id, id }: StoredMember, at: Date): Promise<void> =>
  write(table, [...off(row), { put: memberRow(at.toISOString(), community_id, id) }]);

/** Number of failures, over two days, after which a task is set aside: it is then retried once a day. */
const manyFailures = 8;

/** Moves a row to the list of failed tasks, which are retried at growing intervals. */
export async function setBack(table: Writer, { pk, sk, ...row }: Row, name: string, now: Date): Promise<void> {
  const failures = Number(row.failures ?? 0) + 1;
  const at = new Date(now.getTime() + Math.min(day, 10 * minute * 2 ** failures));
  const key = keys.failed(at.toISOString(), name);
  const is_set_aside = failures >= manyFailures;
  await write(table, [...off({ pk, sk }), { put: { ...row, ...key, name, failures, is_set_aside } }]);
}

/** Number of failed tasks, and how many of them are set aside. */
export async function countFailed(table: Reader): Promise<{ failed: number; setAside: number }> {
  const pk = lists.failed;
  const [failed, setAside] = await Promise.all([
    table.count({ pk }),
    table.count({ pk, filter: { is_set_aside: true } }),
  ]);
  return { failed, setAside };
}

const EventProgress = v.object({
  /** Events created before this time are done, in seconds since 1970. */
  since: v.number(),
  /**
   * State of an interrupted pass, which goes from the newest event to the oldest: the creation time of the newest
   * event, and the id of the last one handled.
   */
  newest: v.optional(v.number()),
  after: v.optional(v.string()),
  /** The epoch of the table when this was stored. */
  epoch: v.optional(v.number()),
  /** Whether the interrupted pass is the first one after a restore, which also handles events that were delivered. */
  is_after_restore: v.optional(v.literal(true)),
});
export type EventProgress = v.InferOutput<typeof EventProgress>;

/** Progress of the passes through Stripe's events. Undefined before the first pass. */
export async function eventProgress(table: Reader): Promise<EventProgress | undefined> {
  const item = await table.get(keys.progress("events"));
  return item && v.parse(EventProgress, item);
}

export const saveEventProgress = (table: Writer, progress: EventProgress): Promise<void> =>
  write(table, [{ put: { ...keys.progress("events"), ...progress } }]);
