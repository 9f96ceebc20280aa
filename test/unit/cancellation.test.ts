import type Stripe from "stripe";
import { expect, it } from "vitest";
import { repeatCancellation } from "#lib/billing/cancellation.ts";
import type { Billing } from "#lib/billing/stripe.ts";

/** A Stripe whose subscription is managed by a schedule until that is released: the local one has no schedules. */
function scheduled() {
  const asked: string[] = [];
  let schedule: string | null = "sub_sched_1";
  const refuse = () => {
    const message =
      "The subscription is managed by the subscription schedule `sub_sched_1`, and updating any cancelation behavior directly is not allowed.";
    if (schedule) throw Object.assign(new Error(message), { type: "StripeInvalidRequestError" });
  };
  const stripe = {
    subscriptions: {
      retrieve: async () => ({ schedule }),
      update: async () => (asked.push("update"), refuse()),
      cancel: async () => (asked.push("cancel"), refuse()),
    },
    subscriptionSchedules: {
      release: async (id: string) => {
        asked.push(`release ${id}`);
        schedule = null;
      },
    },
  } as unknown as Stripe;
  const billing: Billing = (ask) => ask(stripe, {});
  return { billing, asked };
}

it.each([
  ["at_period_end", "update"],
  ["immediately", "cancel"],
] as const)("a cancellation (%s) releases the subscription from a schedule that manages it", async (mode, call) => {
  const { billing, asked } = scheduled();
  const intent = { kind: "cancel", subscription_id: "sub_1", mode, feedback: null, comment: null } as const;
  await repeatCancellation({ billing }, { id: "op_1", intent });
  expect(asked).toEqual([call, "release sub_sched_1", call]);
});
