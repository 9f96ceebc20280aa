import type Stripe from "stripe";
import { expect, it } from "vitest";
import { assertSamePlan, type Plan } from "#lib/billing/change-plan.ts";
import { type ChangeIntent, hasCard, hasForeignSchedule, isDebited } from "#lib/billing/change-state.ts";
import type { Operation } from "#lib/domain/operation.ts";

const subscription = (over: object) =>
  ({
    id: "sub_1",
    default_payment_method: null,
    default_source: null,
    customer: { id: "cus_1", invoice_settings: { default_payment_method: null }, default_source: null },
    schedule: null,
    items: { data: [{ current_period_end: 2000 }] },
    ...over,
  }) as unknown as Stripe.Subscription;

/** A customer with a payment method for all subscriptions. */
const customer = (default_payment_method: unknown, default_source: unknown = null) => ({
  customer: { id: "cus_1", invoice_settings: { default_payment_method }, default_source },
});

// The debits of bank accounts among Stripe's types of payment methods (https://docs.stripe.com/api/payment_methods/object).
const debits = ["acss_debit", "au_becs_debit", "bacs_debit", "nz_bank_account", "sepa_debit", "us_bank_account"];

it.each([
  ...debits.map((type) => [type, true] as const),
  ...["card", "link", "cashapp", "paypal", "amazon_pay"].map((type) => [type, false] as const),
])("whether a payment method of the type %s is a bank debit is %s", (type, expected) => {
  const method = { id: "pm_1", type };
  expect(isDebited(subscription({ default_payment_method: method }))).toBe(expected);
  expect(isDebited(subscription(customer(method)))).toBe(expected);
});

it.each<[string, object, boolean]>([
  ["without anything to charge", {}, false],
  ["with a card of its own", { default_payment_method: "pm_1" }, true],
  ["with a source of its own", { default_source: "card_1" }, true],
  ["with the customer's card", customer("pm_1"), true],
  ["with the customer's source", customer(null, "card_1"), true],
  ["of a deleted customer", { customer: { id: "cus_1", deleted: true } }, false],
])("whether Stripe can charge a subscription %s is as expected", (_, over, expected) => {
  expect(hasCard(subscription(over))).toBe(expected);
});

const crashed = { metadata: {}, end_behavior: "release", phases: [{ end_date: 2000 }] };

it.each<[string, unknown, boolean]>([
  ["no schedule", null, false],
  ["a schedule that is not expanded", "sub_sched_1", true],
  ["a schedule of Odis", { ...crashed, metadata: { made_by: "odis" }, phases: [{}, {}] }, false],
  ["the present period only, as a crash of Odis leaves it", crashed, false],
  ["the present period, and cancels then", { ...crashed, end_behavior: "cancel" }, true],
  ["the present period and another one", { ...crashed, phases: [{ end_date: 2000 }, { end_date: 3000 }] }, true],
  ["a longer phase", { ...crashed, phases: [{ end_date: 3000 }] }, true],
  ["the present period, and metadata of somebody else", { ...crashed, metadata: { made_by: "me" } }, true],
  ["no metadata at all", { ...crashed, metadata: null }, false],
])("whether somebody else has planned a subscription that has %s is as expected", (_, schedule, expected) => {
  expect(hasForeignSchedule(subscription({ schedule }))).toBe(expected);
});

const now = new Date("2026-11-21T12:00:00.000Z");
const minutesAgo = (minutes: number) => now.getTime() / 1000 - minutes * 60;
const charge = {
  at: minutesAgo(5),
  cents: 900,
  credited_cents: 100,
  is_reset: false,
  is_first: false,
  from_price_id: "price_1",
};
const terms = { when: "now", price_id: "price_2", tier_id: 2, interval: "month", cents: 2500, charge } as const;

/** Whether a change with these terms, which Stripe has refused, may be repeated if it has these terms now. */
function mayRepeat(refused: object, planned: object): boolean {
  const intent = { kind: "change", subscription_id: "sub_1", preview: null, ...refused } as ChangeIntent;
  try {
    assertSamePlan({ intent } as Operation, planned as Plan, now);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: "preview_expired" });
    return false;
  }
}

it.each<[string, object]>([
  ["when", { when: "at_period_end" }],
  ["price", { price_id: "price_3" }],
  ["tier", { tier_id: 3 }],
  ["interval", { interval: "year" }],
  ["amount", { cents: 2400 }],
  ["charge", { charge: null }],
  ...Object.entries({ at: 1, cents: 901, credited_cents: 99, is_reset: true, is_first: true, from_price_id: "p" }).map(
    ([name, value]): [string, object] => [`charge.${name}`, { charge: { ...charge, [name]: value } }],
  ),
])("a change that Stripe has refused is not repeated with another %s", (_, other) => {
  expect(mayRepeat(terms, terms)).toBe(true);
  expect(mayRepeat(terms, { ...terms, ...other })).toBe(false);
});

it.each([
  [0, true],
  [10, true],
  [10.1, false],
  [60, false],
])(
  "a charge that Stripe has refused %d minutes after the time of its prorations can be repeated: %s",
  (minutes, may) => {
    const given = { ...terms, charge: { ...charge, at: minutesAgo(minutes) } };
    expect(mayRepeat(given, given)).toBe(may);
  },
);
