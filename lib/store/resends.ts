import * as v from "valibot";
import { keptDays } from "../domain/delivery.ts";
import type { Span } from "../domain/resend.ts";
import { DeliveryStatus } from "../fields/delivery.ts";
import { firstIdAt } from "../ids.ts";
import { Problem } from "../problem.ts";
import { Timestamp } from "../values/scalars.ts";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

const SpanResend = v.object({
  requested_at: Timestamp,
  until: Timestamp,
  status: v.nullable(DeliveryStatus),
  /** The last delivery that was handled, or the id before the first one. */
  after_id: v.number(),
  /** Until when a page of it is being handled, in milliseconds since 1970. */
  leased_until: v.number(),
  /** When another time span may replace it, in milliseconds since 1970. Each page postpones this. */
  replaceable_at: v.number(),
});
/** A time span that is being resent to a destination. There is one at a time, and one page of it at a time. */
export type SpanResend = v.InferOutput<typeof SpanResend>;

/** Its message is in the dead-letter queue by then, if it could not be handled. */
const stalledAfterMs = 60 * 60 * 1000;

/**
 * Stores that the events of a time span are to be resent. The same request may store it again.
 *
 * @throws Problem `too_many_requests` while another time span is being resent to the destination
 */
export async function begin(
  table: Writer,
  destinationId: number,
  { since, until, status }: Span,
  requestedAt: Date,
): Promise<void> {
  const now = table.runtime.now().getTime();
  const requested_at = requestedAt.toISOString();
  const resend: SpanResend = {
    requested_at,
    until,
    status,
    after_id: firstIdAt(new Date(since)) - 1,
    leased_until: 0,
    replaceable_at: now + stalledAfterMs,
  };
  const expires_at = Math.floor(now / 1000) + keptDays * 24 * 60 * 60;
  const otherwise = new Problem("too_many_requests", {
    detail: "Another time span is being resent to this destination. Retry when it has ended",
    headers: { "retry-after": "60" },
  });
  const when = { anyOf: ["absent", { is: { requested_at } }, { atMost: { replaceable_at: now } }] } as const;
  await write(table, [{ put: { ...keys.resend(destinationId), ...resend, expires_at }, when, otherwise }]);
}

export async function find(table: Reader, destinationId: number, requestedAt: string): Promise<SpanResend | undefined> {
  const item = await table.get(keys.resend(destinationId));
  const resend = item && v.parse(SpanResend, item);
  return resend?.requested_at === requestedAt ? resend : undefined;
}

/** Reserves the next page for some time, in milliseconds. Returns undefined if somebody else is handling it. */
export async function lease(
  table: Writer,
  destinationId: number,
  resend: SpanResend,
  leaseMs: number,
): Promise<SpanResend | undefined> {
  const now = table.runtime.now().getTime();
  if (resend.leased_until > now) return undefined;
  const set = { leased_until: now + leaseMs, replaceable_at: now + stalledAfterMs };
  const isLeased = await changed(table, { update: keys.resend(destinationId), set, when: { is: resend } });
  return isLeased ? { ...resend, ...set } : undefined;
}

/** Ends the lease of a page, after the delivery that was handled last. */
export const release = async (
  table: Writer,
  destinationId: number,
  resend: SpanResend,
  after_id: number,
): Promise<void> =>
  void (await changed(table, {
    update: keys.resend(destinationId),
    set: { leased_until: 0, after_id },
    when: { is: resend },
  }));

export const end = async (table: Writer, destinationId: number, { requested_at }: Pick<SpanResend, "requested_at">) =>
  void (await changed(table, { delete: keys.resend(destinationId), when: { is: { requested_at } } }));

/** Whether a conditional write happened. */
const changed = (table: Writer, change: Write): Promise<boolean> =>
  write(table, [change]).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      return false;
    },
  );
