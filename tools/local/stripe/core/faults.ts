import * as v from "valibot";
import { invalid } from "./failure.ts";

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
/** How many times; `true` is always. */
const times = v.union([
  count,
  v.pipe(
    v.boolean(),
    v.transform((always) => (always ? Number.POSITIVE_INFINITY : 0)),
  ),
]);
const milliseconds = v.pipe(v.number(), v.minValue(0), v.maxValue(120_000));

/** How the next API calls fail. Without a flag they do before anything is done or remembered, as at a gateway. */
const Failing = v.strictObject({
  count: v.optional(times, 1),
  status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599))),
  /** The effect is there, and its answer is kept for the idempotency key; only the caller never sees it. */
  after: v.optional(v.boolean(), false),
  /** The failure itself is kept for the idempotency key, so that a retry with the same key gets it again. */
  stored: v.optional(v.boolean(), false),
  /** The body is not JSON. */
  nonsense: v.optional(v.boolean(), false),
});

const neverFails: v.InferOutput<typeof Failing> = { count: 0, after: false, stored: false, nonsense: false };

/** What `POST /_fake/faults` takes; what is left out stays as it was. */
export const FaultsPatch = v.strictObject({
  /** The next payments are declined. */
  decline: v.optional(times),
  /** Every event arrives twice. */
  duplicate: v.optional(v.boolean()),
  /** Events arrive in any order, several at once. */
  shuffle: v.optional(v.boolean()),
  /** The next events never arrive. */
  drop: v.optional(times),
  /** Until an event is sent. */
  delay_ms: v.optional(milliseconds),
  /** Until an API call is done; its idempotency key is in use meanwhile. */
  latency_ms: v.optional(milliseconds),
  fail_next: v.optional(
    v.union([
      v.pipe(
        times,
        v.transform((next) => ({ ...neverFails, count: next })),
      ),
      Failing,
    ]),
  ),
  /** The next refund or cancellation is refused with this code; as any refusal, again for the same idempotency key. */
  refuse: v.optional(v.nullable(v.string())),
  /** What a new refund is. */
  refund_status: v.optional(v.picklist(["pending", "requires_action", "succeeded", "failed", "canceled"])),
  /** What becomes of a subscription after the last failed retry. */
  after_retries: v.optional(v.picklist(["canceled", "unpaid", "past_due"])),
});

export type Failing = v.InferOutput<typeof Failing>;
export type Faults = Required<v.InferOutput<typeof FaultsPatch>>;

export const noFaults = (): Faults => ({
  decline: 0,
  duplicate: false,
  shuffle: false,
  drop: 0,
  delay_ms: 0,
  latency_ms: 0,
  fail_next: neverFails,
  refuse: null,
  refund_status: "succeeded",
  after_retries: "canceled",
});

/** Whether the next one fails, which uses it up. */
export function isTriggered(faults: Faults, fault: "decline" | "drop"): boolean {
  if (faults[fault] <= 0) return false;
  faults[fault] -= 1;
  return true;
}

/** @throws ApiFailure where the next refund or cancellation is to be refused, which uses that up */
export function refuseIfAsked(faults: Faults): void {
  const { refuse: code } = faults;
  faults.refuse = null;
  if (code !== null) throw invalid(`The local Stripe was told to refuse with ${code}.`, { code });
}

/** How the next API call fails, if it does, which uses that up. */
export function nextFailure(faults: Faults): Failing | undefined {
  const { fail_next: failing } = faults;
  if (failing.count <= 0) return undefined;
  faults.fail_next = { ...failing, count: failing.count - 1 };
  return failing;
}
