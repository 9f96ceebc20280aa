import type Stripe from "stripe";
import { expect, it } from "vitest";
import { repeatCancellation } from "#lib/billing/cancellation.ts";
import type { BillingContext } from "#lib/billing/context.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import type { Operation } from "#lib/domain/operation.ts";

/**
 * A Stripe whose subscription is managed by a schedule until that is released: the local one has no schedules.
 * It answers a repeated idempotency key with its first answer.
 * https://docs.stripe.com/api/idempotent_requests
 */
function scheduled() {
  const asked: string[] = [];
  const refusedKeys = new Set<string | undefined>();
  let schedule: string | null = "sub_sched_1";
  const edit = (call: string, key?: string) => {
    asked.push(call);
    if (!schedule && !(key && refusedKeys.has(key))) return;
    refusedKeys.add(key);
    const message =
      "The subscription is managed by the subscription schedule `sub_sched_1`, and updating any cancelation behavior directly is not allowed.";
    throw Object.assign(new Error(message), { type: "StripeInvalidRequestError" });
  };
  const stripe = {
    subscriptions: {
      retrieve: async () => ({ schedule, status: "active", cancel_at_period_end: true, cancel_at: 1 }),
      update: async (_id: string, _change: object, options: Stripe.RequestOptions) =>
        edit("update", options.idempotencyKey),
      cancel: async (_id: string, _how: object, options: Stripe.RequestOptions) =>
        edit("cancel", options.idempotencyKey),
    },
    subscriptionSchedules: {
      release: async (id: string) => {
        asked.push(`release ${id}`);
        schedule = null;
      },
    },
  } as unknown as Stripe;
  return { billing: billingOf(async () => stripe)(() => 20_000), asked };
}

/** A cancellation that a schedule stands in the way of writes nothing. */
const on = (billing: Billing) => ({ billing }) as BillingContext;
const operationOf = (intent: Operation["intent"]) => ({ id: "op_1", intent }) as Operation;

const base = { subscription_id: "sub_1", feedback: null, comment: null };

const cases: readonly (readonly [string, Operation["intent"]])[] = [
  ["update", { ...base, kind: "cancel", mode: "at_period_end" }],
  ["cancel", { ...base, kind: "cancel", mode: "immediately" }],
  ["update", { kind: "uncancel", subscription_id: "sub_1" }],
];

it.each(cases)("releases the subscription from a schedule that refuses the %s of %j", async (call, intent) => {
  const { billing, asked } = scheduled();
  await repeatCancellation(on(billing), operationOf(intent));
  expect(asked).toEqual([call, "release sub_sched_1", call]);
});

it("goes on where a fault came after the release", async () => {
  const { billing, asked } = scheduled();
  const operation = operationOf(cases[0]![1]);
  const stopping: Billing = (ask, key) =>
    asked.some((call) => call.startsWith("release")) ? Promise.reject(new Error("Stopped")) : billing(ask, key);
  await expect(repeatCancellation(on(stopping), operation)).rejects.toThrow("Stopped");
  await repeatCancellation(on(billing), operation);
  expect(asked).toEqual(["update", "release sub_sched_1", "update", "update"]);
});
