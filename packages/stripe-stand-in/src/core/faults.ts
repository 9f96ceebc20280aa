import * as v from "valibot";
import { invalid } from "./failure.ts";
import { RefundStatus } from "./objects/refund.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** A number of times; `true` means every time. */
const times = v.union([
  count,
  v.pipe(
    v.boolean(),
    v.transform((always) => (always ? Number.POSITIVE_INFINITY : 0)),
  ),
]);
const milliseconds = v.pipe(v.number(), v.minValue(0), v.maxValue(120_000));

/** How the next API calls fail. By default, a call fails before it has any effect, as if a gateway had failed. */
const Failing = v.strictObject({
  count: v.optional(times, 1),
  /** Only calls with this method fail. */
  method: v.optional(v.picklist(["GET", "POST", "DELETE"])),
  status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))),
  /** The call takes effect and its response is stored for the idempotency key, but the caller gets the failure. */
  after: v.optional(v.boolean(), false),
  /** The failure is stored for the idempotency key, so that a retry with the same key fails in the same way. */
  stored: v.optional(v.boolean(), false),
  /** The body of the response is not JSON. */
  nonsense: v.optional(v.boolean(), false),
});

/**
 * Refuses the next write to a path that begins with `path`. By default, refuses the next refund or cancellation. A
 * retry with the same key is refused again.
 */
export const Refusal = v.strictObject({
  code: v.pipe(v.string(), v.nonEmpty()),
  param: v.optional(v.string()),
  path: v.optional(v.pipe(v.string(), v.startsWith("/v1/"))),
});

const Faults = v.strictObject({
  /** The next payments are declined. */
  decline: v.optional(times, 0),
  /** Number of days for which payments are pending. The subscription is active during this time. */
  settle_days: v.optional(v.pipe(v.number(), v.minValue(0), v.maxValue(60)), 0),
  /** Outcome of pending payments. */
  settle_as: v.optional(v.picklist(["succeeded", "failed"]), "succeeded"),
  /** Each event is sent twice. */
  duplicate: v.optional(v.boolean(), false),
  /** Events are sent in any order, several at a time. */
  shuffle: v.optional(v.boolean(), false),
  /** The next events are not sent. */
  drop: v.optional(times, 0),
  /** Delay before an event is sent. */
  delay_ms: v.optional(milliseconds, 0),
  /** Delay before an API call takes effect. Its idempotency key is in use during this time. */
  latency_ms: v.optional(milliseconds, 0),
  fail_next: v.optional(
    v.union([
      v.pipe(
        times,
        v.transform((next) => ({ count: next, method: undefined, after: false, stored: false, nonsense: false })),
      ),
      Failing,
    ]),
    0,
  ),
  /** The next refusal. */
  refuse: v.optional(v.nullable(Refusal), null),
  /** The status of new refunds. */
  refund_status: v.optional(RefundStatus, "succeeded"),
  /** Whether lists by a deleted customer are refused, like those by an unknown customer. */
  deleted_customer_lists: v.optional(v.picklist(["answered", "refused"]), "answered"),
  /** Delay in seconds before an event is listed. It can be retrieved by its id immediately. */
  unlisted_events_s: v.optional(v.pipe(count, v.maxValue(3600)), 0),
  /** The status of a subscription after the last failed retry. */
  after_retries: v.optional(v.picklist(["canceled", "unpaid", "past_due"]), "canceled"),
  /** Whether the number of invoices that calls make for a subscription is limited, as by Stripe. */
  invoice_limits: v.optional(v.picklist(["enforced", "off"]), "enforced"),
  /** Calls to one endpoint per second of the account's clock. 0 means any number. */
  endpoint_limit: v.optional(count, 0),
  /** What is left of a change that `error_if_incomplete` has refused with 402. */
  refused_change: v.optional(v.picklist(["voided_invoice", "nothing"]), "voided_invoice"),
  /** Whether a change with `pending_if_incomplete` waits for the payment of a customer without a card. */
  pending_without_card: v.optional(v.picklist(["refused", "pending"]), "refused"),
  /** What a cancellation at the end of the period does to a change that waits, and does not say how the period ends. */
  canceled_pending_update: v.optional(v.picklist(["kept", "expired"]), "kept"),
  /** What the end of a subscription does to the invoice of a change that waits. */
  ended_pending_invoice: v.optional(v.picklist(["void", "open"]), "void"),
  /** Whether another interval, or the first price that is not free, resets the billing date by itself. */
  billing_date: v.optional(v.picklist(["kept", "reset"]), "kept"),
  /** Whether a schedule made with `from_subscription` has the subscription's card in its default settings. */
  schedule_card: v.optional(v.picklist(["left_out", "copied"]), "left_out"),
  /** Whether a dispute that was won says that its charge is refundable. */
  won_dispute: v.optional(v.picklist(["refundable", "unmarked"]), "refundable"),
  /** Whose card a card that is chosen in the portal becomes. */
  portal_card: v.optional(v.picklist(["customer", "subscriptions"]), "customer"),
  /** Whether an update of a schedule may repeat the archived price of a subscription in the current phase. */
  archived_current_price: v.optional(v.picklist(["refused", "kept"]), "refused"),
});

export type Failing = v.InferOutput<typeof Failing>;
export type Faults = v.InferOutput<typeof Faults>;

export const noFaults = (): Faults => v.parse(Faults, {});

/** Takes the body of `POST /_fake/faults`. Faults that are left out do not change. */
export function inject(faults: Faults, input: unknown): Faults {
  const given = Object.entries(v.parse(Faults, input)).filter(([name]) => Object.hasOwn(Object(input), name));
  return Object.assign(faults, Object.fromEntries(given));
}

/** Whether a fault applies now. Each call decrements the remaining number of times. */
export function isTriggered(faults: Faults, fault: "decline" | "drop"): boolean {
  if (faults[fault] <= 0) return false;
  faults[fault] -= 1;
  return true;
}

/**
 * @param path path of a write. Undefined for refunds and cancellations.
 * @throws ApiFailure once if a refusal was requested
 */
export function refuseIfAsked(faults: Faults, path?: string): void {
  const { refuse } = faults;
  if (refuse === null) return;
  const isMeant = path === undefined ? refuse.path === undefined : path.startsWith(refuse.path ?? "/none");
  if (!isMeant) return;
  faults.refuse = null;
  const { code, param } = refuse;
  throw invalid(`The local Stripe was told to refuse with ${code}.`, { code, ...(param !== undefined && { param }) });
}

/** @returns the failure of this API call, if any. Each failure decrements the remaining number of times. */
export function nextFailure(faults: Faults, method: string): Failing | undefined {
  const { fail_next: failing } = faults;
  if (failing.count <= 0 || (failing.method ?? method) !== method) return undefined;
  faults.fail_next = { ...failing, count: failing.count - 1 };
  return failing;
}
