import type Stripe from "stripe";
import { expect, it } from "vitest";
import { collectedBeside } from "#lib/billing/collection.ts";
import { monthlyCents } from "#lib/billing/monthly-amount.ts";
import { ownSubscriptions } from "#lib/billing/ownership.ts";
import { paymentsOf, sumsOf } from "#lib/billing/payments.ts";
import { isLive, isPauseWanted, subscriptionFields } from "#lib/billing/snapshot.ts";

const now = new Date("2026-11-21T12:00:00.000Z");
const at = (time: string) => Date.parse(time) / 1000;
const created = at("2026-01-15T00:00:00Z");
const [november, december, nextYear] = ["2026-11-01", "2026-12-01", "2027-11-01"].map((day) => `${day}T00:00:00.000Z`);

type Price = {
  readonly interval?: string;
  readonly interval_count?: number;
  readonly usage_type?: string;
  readonly unit_amount_decimal?: string;
  readonly billing_scheme?: string;
};

/** An item as Stripe returns it. A fraction of a cent is only in `unit_amount_decimal`, and tiers have no unit amount. */
const item = (
  unit_amount: number | null,
  quantity: number | undefined = 1,
  { unit_amount_decimal, billing_scheme = "per_unit", ...recurring }: Price = {},
  [start = november, end = december]: readonly (string | undefined)[] = [],
) => ({
  ...(quantity !== undefined && { quantity }),
  current_period_start: at(String(start)),
  current_period_end: at(String(end)),
  price: {
    unit_amount,
    unit_amount_decimal: unit_amount_decimal ?? (unit_amount === null ? null : String(unit_amount)),
    billing_scheme,
    recurring: { interval: "month", interval_count: 1, usage_type: "licensed", ...recurring },
  },
});
const yearly = { interval: "year" };

const off = (coupon: object, over: object = {}) => ({
  start: 0,
  end: null,
  source: { coupon: { percent_off: null, amount_off: null, currency: null, duration: "forever", ...coupon } },
  ...over,
});
const percent = (percent_off: number, over: object = {}) => off({ percent_off }, over);
const dollars = (amount_off: number, over: object = {}) => off({ amount_off, currency: "usd" }, over);

const subscription = (items: readonly object[], over: object = {}) =>
  ({
    id: "sub_1",
    status: "active",
    currency: "usd",
    created,
    cancel_at: null,
    cancel_at_period_end: false,
    canceled_at: null,
    ended_at: null,
    trial_start: null,
    trial_end: null,
    pause_collection: null,
    status_details: null,
    discounts: [],
    items: { data: items },
    ...over,
  }) as unknown as Stripe.Subscription;

it.each<[string, object[], object, number]>([
  ["of one item is its price", [item(2500)], {}, 2500],
  ["of several items is their sum, each times its quantity", [item(2500, 3), item(100)], {}, 7600],
  ["of monthly and yearly items adds a twelfth of the yearly ones", [item(1000), item(12_000, 2, yearly)], {}, 3000],
  ["of a yearly item is a twelfth, not rounded to cents", [item(6, 1, yearly)], {}, 0.5],
  ["of a quarterly item is a third", [item(3000, 1, { interval_count: 3 })], {}, 1000],
  ["of a weekly item is 52 twelfths", [item(300, 1, { interval: "week" })], {}, 1300],
  ["of an item for two weeks is 26 twelfths", [item(600, 1, { interval: "week", interval_count: 2 })], {}, 1300],
  ["of a daily item is 365 twelfths", [item(12, 1, { interval: "day" })], {}, 365],
  [
    "leaves out metered items, which have no quantity",
    [item(2500), item(900, undefined, { usage_type: "metered" })],
    {},
    2500,
  ],
  ["of an item with the quantity 0 is 0", [item(2500, 0)], {}, 0],
  [
    "of fractions of a cent is rounded after the quantity",
    [item(null, 1000, { unit_amount_decimal: "0.55" })],
    {},
    550,
  ],
  [
    "counts tiers, which have no unit amount, as 0",
    [item(2500), item(null, 9, { billing_scheme: "tiered" })],
    {},
    2500,
  ],
  ["without items is 0", [], {}, 0],
  ["in a trial is 0", [item(2500)], { status: "trialing" }, 0],
  ["while past due is the price", [item(2500)], { status: "past_due" }, 2500],
  ["when unpaid is 0", [item(2500)], { status: "unpaid" }, 0],
  ["when incomplete is 0", [item(2500)], { status: "incomplete" }, 0],
  ["when canceled is 0", [item(2500)], { status: "canceled" }, 0],
  ["while collection is paused is 0", [item(2500)], { pause_collection: { behavior: "void" } }, 0],
  ["in euros is 0", [item(2500)], { currency: "eur" }, 0],
  ["in yen, which have no decimals, is 0", [item(2500)], { currency: "jpy" }, 0],
  ["in dinars, which have three decimals, is 0", [item(2500)], { currency: "kwd" }, 0],
  ["with an amount and then a percentage off", [item(1000)], { discounts: [dollars(200), percent(50)] }, 400],
  ["with a percentage and then an amount off", [item(1000)], { discounts: [percent(50), dollars(200)] }, 300],
  ["with two percentages multiplies them", [item(1000)], { discounts: [percent(50), percent(10)] }, 450],
  ["with 100 percent off is 0", [item(1000)], { discounts: [percent(100)] }, 0],
  ["is rounded half up", [item(5)], { discounts: [percent(50)] }, 3],
  ["is never below 0", [item(100)], { discounts: [dollars(200)] }, 0],
  [
    "ignores an amount off in another currency",
    [item(1000)],
    { discounts: [off({ amount_off: 200, currency: "eur" })] },
    1000,
  ],
  [
    "ignores an amount off in another currency between others",
    [item(1000)],
    { discounts: [percent(50), off({ amount_off: 200, currency: "jpy" }), dollars(100)] },
    400,
  ],
  [
    "ignores the currency options of a coupon",
    [item(1000)],
    { discounts: [off({ amount_off: 200, currency: "eur", currency_options: { usd: { amount_off: 300 } } })] },
    1000,
  ],
  [
    "ignores a discount of one invoice",
    [item(100)],
    { discounts: [off({ amount_off: 9, currency: "usd", duration: "once" })] },
    100,
  ],
  [
    "deducts a repeating discount until it ends",
    [item(100)],
    { discounts: [off({ percent_off: 9, duration: "repeating" }, { end: now.getTime() / 1000 + 1 })] },
    91,
  ],
  [
    "ignores a discount from the second of its end",
    [item(100)],
    { discounts: [dollars(9, { end: now.getTime() / 1000 })] },
    100,
  ],
  [
    "ignores a discount without a coupon",
    [item(100)],
    { discounts: [off({}, { source: { coupon: null } }), "di_1"] },
    100,
  ],
  ["deducts an amount from each yearly invoice", [item(12_000, 1, yearly)], { discounts: [dollars(1200)] }, 900],
  [
    "deducts a percentage from yearly items too",
    [item(1000), item(12_000, 1, yearly)],
    { discounts: [percent(25)] },
    1500,
  ],
])("the monthly amount %s", (_, items, over, cents) => {
  expect(monthlyCents(subscription(items, over), now)).toBe(cents);
});

const statuses = [
  ["active", "active", true],
  ["trialing", "trialing", true],
  ["past_due", "past_due", true],
  ["unpaid", "unpaid", true],
  ["paused", "unpaid", true],
  ["incomplete", "incomplete", false],
  ["incomplete_expired", "canceled", false],
  ["canceled", "canceled", false],
  ["a status that Stripe adds later", "unpaid", true],
] as const;
it.each(statuses)(
  "a subscription that is %s at Stripe has the status %s, and whether it is live is %s",
  (status, ours, live) => {
    const given = subscription([item(2500)], { status });
    expect(subscriptionFields(given).status).toBe(ours);
    expect(isLive(given)).toBe(live);
  },
);

const [june, july] = ["2026-06-01T00:00:00.000Z", "2026-07-01T00:00:00.000Z"];
const seconds = (time: string | undefined) => at(String(time));
const plain = {
  stripe_subscription_id: "sub_1",
  status: "active",
  current_period_start: november,
  current_period_end: december,
  cancel_at_period_end: false,
  cancel_at: null,
  trial_start: null,
  trial_end: null,
  canceled_at: null,
  ended_at: null,
};
const yearOf = item(12_000, 1, yearly, [june, nextYear]);

it.each<[string, object[], object, Partial<typeof plain> | object]>([
  ["of one item", [item(2500)], {}, {}],
  ["of items with other periods: the latest start and the earliest end", [yearOf, item(100)], {}, {}],
  ["of the same items in another order", [item(100), yearOf], {}, {}],
  ["of three items with periods of their own", [yearOf, item(100), item(5, 1, {}, [july, nextYear])], {}, {}],
  [
    "of several yearly items",
    [yearOf, item(100, 1, yearly, [july, nextYear])],
    {},
    { current_period_start: july, current_period_end: nextYear },
  ],
  [
    "without items: its creation",
    [],
    {},
    { current_period_start: "2026-01-15T00:00:00.000Z", current_period_end: "2026-01-15T00:00:00.000Z" },
  ],
  [
    "in a trial",
    [item(2500)],
    { status: "trialing", trial_start: seconds(november), trial_end: seconds(december) },
    { status: "trialing", trial_start: november, trial_end: december },
  ],
  [
    "that ends with its period: at the earliest end of an item",
    [yearOf, item(100)],
    { cancel_at_period_end: true, canceled_at: seconds(november) },
    { cancel_at_period_end: true, cancel_at: december, canceled_at: november },
  ],
  [
    "that ends after renewals: it does not end with the period",
    [item(2500)],
    { cancel_at: seconds(nextYear), canceled_at: seconds(november) },
    { cancel_at_period_end: false, cancel_at: nextYear, canceled_at: november },
  ],
  [
    "that has ended: no end is scheduled",
    [item(2500)],
    { status: "canceled", cancel_at_period_end: true, cancel_at: seconds(july), ended_at: seconds(july) },
    { status: "canceled", ended_at: july },
  ],
])("the fields of a subscription %s", (_, items, over, expected) => {
  expect(subscriptionFields(subscription(items, over))).toEqual({ ...plain, ...expected });
});

it.each([
  ["paused", { paused: { subscription: { type: "pause_requested" } } }, true],
  ["paused", { paused: { subscription: { type: "payment_method_missing" } } }, false],
  ["paused", null, false],
  ["active", { paused: { subscription: { type: "pause_requested" } } }, false],
])(
  "whether a subscription that is %s with the details %j was paused on request is %s",
  (status, status_details, wanted) => {
    expect(isPauseWanted(subscription([], { status, status_details }))).toBe(wanted);
  },
);

const line = (proration: boolean, start: string | undefined, end: string | undefined) => ({
  parent: { subscription_item_details: { proration } },
  period: { start: seconds(start), end: seconds(end) },
});
const paymentOf = (charge: string, amount_paid: number | null, over: object = {}) => ({
  payment: { type: "charge", charge },
  status: "paid",
  amount_paid,
  amount_requested: amount_paid ?? 900,
  ...over,
});
const invoice = (over: object = {}) => ({
  id: "in_1",
  customer: "cus_1",
  number: "1",
  status: "paid",
  currency: "usd",
  total: 900,
  amount_paid: 900,
  amount_due: 900,
  amount_paid_off_stripe: 0,
  created: seconds(november),
  period_start: seconds(june),
  period_end: seconds(july),
  status_transitions: { paid_at: seconds(november) },
  parent: { subscription_details: { subscription: "sub_1" } },
  lines: { data: [line(false, november, december)] },
  payments: { data: [paymentOf("ch_1", 900)] },
  ...over,
});
const chargeOf = (over: object = {}, disputes: readonly object[] = []) => ({
  charge: {
    id: "ch_1",
    status: "succeeded",
    captured: true,
    amount: 900,
    amount_captured: 900,
    amount_refunded: 0,
    disputed: disputes.length > 0,
    failure_message: null,
    payment_method_details: null,
    receipt_url: null,
    created: seconds(november),
    payment_intent: null,
    ...over,
  },
  refunds: [],
  disputes,
});
type Given = { readonly invoices?: readonly object[]; readonly charges?: readonly object[] };

it.each<[string, Given, { paid?: number; refundable?: number[]; periods?: (string | undefined)[][] }]>([
  ["a paid invoice", {}, { paid: 900, refundable: [900] }],
  ["an invoice in euros", { invoices: [invoice({ currency: "eur" })] }, { paid: 0, refundable: [] }],
  ["an invoice in yen", { invoices: [invoice({ currency: "jpy" })] }, { paid: 0, refundable: [] }],
  ["an invoice in dinars", { invoices: [invoice({ currency: "kwd" })] }, { paid: 0, refundable: [] }],
  [
    "invoices in dollars and in euros",
    { invoices: [invoice({ id: "in_0", currency: "eur" }), invoice()] },
    { paid: 900, refundable: [900] },
  ],
  [
    "an invoice of another subscription",
    { invoices: [invoice({ parent: { subscription_details: { subscription: "sub_2" } } })] },
    { paid: 0, refundable: [] },
  ],
  ["an invoice without a subscription", { invoices: [invoice({ parent: null })] }, { paid: 0, refundable: [] }],
  ["a partly refunded charge", { charges: [chargeOf({ amount_refunded: 300 })] }, { paid: 900, refundable: [600] }],
  [
    "a charge that is not captured",
    { charges: [chargeOf({ captured: false, amount_captured: 0 })] },
    { paid: 0, refundable: [0] },
  ],
  [
    "a charge that is captured in part",
    { charges: [chargeOf({ amount_captured: 500 })] },
    { paid: 500, refundable: [500] },
  ],
  ["a failed charge", { charges: [chargeOf({ status: "failed" })] }, { paid: 0, refundable: [0] }],
  ["a pending charge", { charges: [chargeOf({ status: "pending" })] }, { paid: 0, refundable: [0] }],
  [
    "a charge with an open dispute",
    { charges: [chargeOf({}, [{ status: "needs_response" }])] },
    { paid: 900, refundable: [0] },
  ],
  [
    "a charge whose dispute is under review",
    { charges: [chargeOf({}, [{ status: "under_review" }])] },
    { paid: 900, refundable: [0] },
  ],
  [
    "a charge with an inquiry that became a dispute after a won one",
    { charges: [chargeOf({}, [{ status: "won" }, { status: "under_review" }])] },
    { paid: 900, refundable: [0] },
  ],
  [
    "a charge with an inquiry that is under review",
    { charges: [chargeOf({}, [{ status: "warning_under_review" }])] },
    { paid: 900, refundable: [900] },
  ],
  [
    "a charge with an inquiry, which can be refunded",
    { charges: [chargeOf({}, [{ status: "under_review", is_charge_refundable: true }])] },
    { paid: 900, refundable: [900] },
  ],
  ["a charge with a won dispute", { charges: [chargeOf({}, [{ status: "won" }])] }, { paid: 900, refundable: [900] }],
  [
    "a charge with a lost dispute after a won one",
    { charges: [chargeOf({}, [{ status: "won" }, { status: "lost" }])] },
    { paid: 900, refundable: [0] },
  ],
  [
    "a charge that pays two invoices",
    {
      invoices: [
        invoice({ payments: { data: [paymentOf("ch_1", 400)] } }),
        invoice({ id: "in_2", payments: { data: [paymentOf("ch_1", 500)] } }),
      ],
    },
    { paid: 900, refundable: [900, 900] },
  ],
  [
    "an invoice that two charges pay",
    {
      invoices: [invoice({ total: 1400, payments: { data: [paymentOf("ch_1", 900), paymentOf("ch_2", 500)] } })],
      charges: [chargeOf(), chargeOf({ id: "ch_2", amount: 500, amount_captured: 500 })],
    },
    { paid: 1400, refundable: [900, 500] },
  ],
  [
    "a canceled payment",
    { invoices: [invoice({ payments: { data: [paymentOf("ch_1", null, { status: "canceled" })] } })] },
    { paid: 0, refundable: [900] },
  ],
  [
    "an invoice that is paid partly outside Stripe",
    { invoices: [invoice({ amount_paid_off_stripe: 250 })] },
    { paid: 1150, refundable: [900] },
  ],
  [
    "an invoice that begins with a proration: the period of the regular line",
    { invoices: [invoice({ lines: { data: [line(true, july, november), line(false, november, december)] } })] },
    { periods: [[november, december]] },
  ],
  [
    "an invoice with prorations only: its own period",
    { invoices: [invoice({ lines: { data: [line(true, july, november)] } })] },
    { periods: [[june, july]] },
  ],
])("the payments of %s", (_, { invoices = [invoice()], charges = [chargeOf()] }, expected) => {
  const snapshot = { customer: undefined, isDeleted: false, subscriptions: [], charges, invoices } as never;
  const ledger = { payments: [], refunds: [], disputes: [], subscriptions: [], operations: [] };
  const payments = paymentsOf(snapshot, ledger, [subscription([])]);
  expect({
    paid: sumsOf(payments, []).paid_cents,
    refundable: payments.flatMap((one) => one.charges.map(({ refundable_cents }) => refundable_cents)),
    periods: payments.map(({ period_start, period_end }) => [period_start, period_end]),
  }).toMatchObject(expected);
});

it.each<[string, object | undefined, number]>([
  ["that Stripe does not list", undefined, 900],
  ["as it was", {}, 900],
  ["that also pays another invoice", { amount: 5000, amount_captured: 5000 }, 900],
  ["that was captured in part since", { amount_captured: 400 }, 400],
  ["that has failed since", { status: "failed" }, 0],
])("a stored payment of a former customer counts with the charge %s, and is not refundable", (_, over, paid_cents) => {
  const read = (charges: readonly object[], invoices: readonly object[], payments: readonly object[]) => {
    const snapshot = { customer: undefined, isDeleted: false, subscriptions: [], charges, invoices } as never;
    const ledger = { payments, refunds: [], disputes: [], subscriptions: [], operations: [] } as never;
    return paymentsOf(snapshot, ledger, [subscription([])]);
  };
  const stored = read([chargeOf()], [invoice()], []);
  const payments = read(over ? [chargeOf(over)] : [], [], stored);
  expect(payments.flatMap(({ charges }) => charges)).toMatchObject([{ id: "ch_1", paid_cents, refundable_cents: 0 }]);
});

it("a member's subscriptions are sorted by creation, and of two of one second the one that has ended comes first", () => {
  const one = (id: string, second: number, ended_at: number | null = null) =>
    subscription([], { id, created: second, ended_at, metadata: {} });
  const sorted = [one("sub_4", 1, 9), one("sub_2", 2, 9), one("sub_3", 2, 9), one("sub_1", 2)];
  const ledger = { subscriptions: sorted.map(({ id }) => ({ subscription_id: id, standing: "accepted" as const })) };
  const scope = { memberId: 1, tierIds: new Set<number>() };
  for (const given of [sorted, sorted.toReversed()])
    expect(ownSubscriptions(undefined, given, ledger, scope).map(({ id }) => id)).toEqual(sorted.map(({ id }) => id));
});

it.each<[string, object, boolean]>([
  ["open and collected", {}, true],
  ["of the canceled subscription", { parent: { subscription_details: { subscription: "sub_1" } } }, false],
  ["of no subscription", { parent: null }, true],
  ["open and not collected", { auto_advance: false }, false],
  ["a draft", { status: "draft" }, false],
  ["paid", { status: "paid" }, false],
  ["uncollectible", { status: "uncollectible" }, false],
])("whether an immediate cancellation stops the collection of an invoice that is %s", (_, over, isStopped) => {
  const other = { subscription_details: { subscription: "sub_2" } };
  const given = invoice({ status: "open", auto_advance: true, parent: other, ...over }) as unknown as Stripe.Invoice;
  expect(collectedBeside([given], "sub_1")).toEqual(isStopped ? ["in_1"] : []);
});
