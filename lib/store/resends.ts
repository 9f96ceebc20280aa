import * as v from "valibot";
import { keptDays } from "../domain/delivery.ts";
import type { Span } from "../domain/resend.ts";
import { DeliveryStatus } from "../fields/delivery.ts";
import { firstIdAt, newUuid } from "../ids.ts";
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
  /** Id of the last delivery handled; initially the id before the first one. */
  after_id: v.number(),
  /** End of the lease of the page that is being handled, in milliseconds since 1970. */
  leased_until: v.number(),
  /** Random id of the last lease. Undefined until the first one. */
  lease_id: v.optional(v.string()),
  /** Time from which another resend may replace this one, in milliseconds since 1970. Each page postpones it. */
  replaceable_at: v.number(),
});
/** The resend of a time span to a destination. There is one per destination, and one page at a time is handled. */
export type SpanResend = v.InferOutput<typeof SpanResend>;

/** Time after which a resend without progress may be replaced. Its message is in the dead-letter queue by then. */
export const stalledAfterMs = 60 * 60 * 1000;

/**
 * Begins a resend of the events of a time span. Idempotent for the same request.
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

/**
 * Leases the next page for `leaseMs` milliseconds. Returns undefined if another function holds the lease. If the response to the
 * write is lost and the SDK repeats the write, the lease is recognized by its id.
 */
export async function lease(
  table: Writer,
  destinationId: number,
  resend: SpanResend,
  leaseMs: number,
): Promise<SpanResend | undefined> {
  const now = table.runtime.now().getTime();
  if (resend.leased_until > now) return undefined;
  const lease_id = newUuid(table.runtime.random);
  const set = { leased_until: now + leaseMs, lease_id, replaceable_at: now + stalledAfterMs };
  if (await changed(table, { update: keys.resend(destinationId), set, when: { is: resend } }))
    return { ...resend, ...set };
  const stored = await find(table, destinationId, resend.requested_at);
  return stored?.lease_id === lease_id ? stored : undefined;
}

/** Ends the lease of a page, and stores the last delivery that was handled. */
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

/** Whether a conditional write succeeded. */
const changed = (table: Writer, change: Write): Promise<boolean> =>
  write(table, [change]).then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      return false;
    },
  );
