import Stripe from "stripe";
import { expect, it } from "vitest";
import { sendChange } from "#lib/billing/change-at-stripe.ts";
import { releasingSchedule } from "#lib/billing/schedules.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import type { Operation } from "#lib/domain/operation.ts";
import { startTable } from "../../support/direct.ts";

const given = startTable();

const operation: Operation = {
  id: "op_1",
  community_id: 1,
  member_id: 2,
  customer_id: "cus_1",
  actor_id: 3,
  request_id: null,
  fingerprint: null,
  state: "open",
  created_at: "2026-11-21T12:00:00.000Z",
  intent: {
    kind: "change",
    subscription_id: "sub_1",
    when: "at_period_end",
    price_id: "price_2",
    tier_id: 4,
    interval: "month",
    cents: 2500,
    preview: null,
    charge: null,
  },
};

it("a cancellation that comes just before the schedule of a change is kept when the schedule is released", async () => {
  const price = { id: "price_1", unit_amount: 1000, recurring: { interval: "month" } };
  const item = { price, current_period_end: 1_800_000_000 };
  const subscription = {
    id: "sub_1",
    status: "active",
    schedule: null,
    cancel_at: null,
    discounts: [],
    items: { data: [item] },
  };
  const schedule = {
    id: "sub_sched_1",
    end_behavior: "cancel",
    current_phase: { start_date: 1, end_date: 2 },
    phases: [],
  };
  const calls: unknown[] = [];
  const stripe = {
    subscriptions: { retrieve: async () => subscription },
    subscriptionSchedules: {
      create: async () => schedule,
      release: async (...args: unknown[]) => calls.push(args.slice(0, 2)),
    },
  } as unknown as Stripe;
  const billing: Billing = (call) => call(stripe, {});
  await expect(sendChange({ table: given.table, billing, now: new Date() }, operation)).rejects.toMatchObject({
    code: "cancel_scheduled",
  });
  expect(calls).toEqual([["sub_sched_1", { preserve_cancel_date: true }]]);
});

it("a cancellation is sent again if another one has released the schedule in the meantime", async () => {
  const refused = (message: string) =>
    Stripe.errors.generateV1Error({ statusCode: 400, type: "invalid_request_error", message } as never);
  const schedule = { id: "sub_sched_1", current_phase: null, phases: [] };
  const stripe = {
    subscriptions: { retrieve: async () => ({ schedule }) },
    subscriptionSchedules: {
      release: async () => {
        throw refused("You cannot release a subscription schedule that is currently in the `released` status.");
      },
    },
  } as unknown as Stripe;
  const billing = billingOf(async () => stripe)(() => 20_000);
  const sent = await releasingSchedule(billing, "sub_1", (isReleased) =>
    billing(async () => {
      if (!isReleased) throw refused("The subscription is managed by the subscription schedule `sub_sched_1`.");
      return "canceled";
    }),
  );
  expect(sent).toBe("canceled");
});
