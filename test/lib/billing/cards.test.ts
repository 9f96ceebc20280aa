import type Stripe from "stripe";
import { expect, it } from "vitest";
import { followCard, keepCard } from "#lib/billing/cards.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import type { StoredMember } from "#lib/store/members/item.ts";

const subscription = (over: object = {}) =>
  ({
    id: "sub_1",
    status: "active",
    default_payment_method: "pm_own",
    customer: { id: "cus_1", invoice_settings: { default_payment_method: "pm_chosen" } },
    schedule: null,
    ...over,
  }) as unknown as Stripe.Subscription;

const member = (over: Partial<StoredMember> = {}) =>
  ({ stripe_subscription_id: "sub_1", stripe_customer_id: "cus_1", default_card: "pm_own", ...over }) as StoredMember;

/** Stripe, with a list of the updates of subscriptions and schedules that were sent to it. */
function recording() {
  const sent: unknown[] = [];
  const update = async (id: string, params: object) => sent.push({ id, ...params });
  const stripe = { subscriptions: { update }, subscriptionSchedules: { update } } as never;
  const billing = (async (call) => call(stripe, {})) as Billing;
  return { billing, sent };
}

const toChosen = [{ id: "sub_1", default_payment_method: "pm_chosen" }];

it.each<[string, Partial<StoredMember> | undefined, object, unknown[]]>([
  ["another card", {}, {}, toChosen],
  ["a first card", { default_card: null }, {}, toChosen],
  ["the card of the last synchronization", { default_card: "pm_chosen" }, {}, []],
  ["another card, which the subscription has already", {}, { default_payment_method: "pm_chosen" }, []],
  ["another card, and the subscription has none of its own", {}, { default_payment_method: null }, []],
  ["another card before the subscription was shown", { stripe_subscription_id: "sub_0" }, {}, []],
  ["another card before the customer was replaced", { stripe_customer_id: "cus_0" }, {}, []],
  ["a card before Odis noted it", { default_card: undefined }, {}, []],
  ["a card before the person became a member", undefined, {}, []],
  ["another card, and the subscription has ended", {}, { status: "canceled" }, []],
  ["another card, and the person was erased", { erased_at: "2026-11-21T12:00:00.000Z" }, {}, []],
  ["no card any more", {}, { customer: { id: "cus_1", invoice_settings: { default_payment_method: null } } }, []],
])("if a customer has chosen %s, the subscription follows as expected", async (_, over, own, expected) => {
  const { billing, sent } = recording();
  await followCard(billing, subscription(own), over && member(over));
  expect(sent).toEqual(expected);
});

const schedule = (over: object = {}) => ({
  id: "sub_sched_1",
  status: "active",
  metadata: { made_by: "odis" },
  default_settings: { default_payment_method: "pm_old" },
  ...over,
});
const toOwn = [{ id: "sub_sched_1", default_settings: { default_payment_method: "pm_own" } }];
const withoutCard = { default_settings: { default_payment_method: null } };
const withoutOwn = { default_payment_method: null };

it.each<[string, object | string | null, object, unknown[]]>([
  ["another card than its subscription", schedule(), {}, toOwn],
  ["no card", schedule(withoutCard), {}, toOwn],
  ["the card of its subscription", schedule({ default_settings: { default_payment_method: "pm_own" } }), {}, []],
  [
    "a card that its subscription has no more",
    schedule(),
    withoutOwn,
    [{ id: "sub_sched_1", default_settings: { default_payment_method: "pm_chosen" } }],
  ],
  ["no card, like its subscription", schedule(withoutCard), withoutOwn, []],
  ["ended", schedule({ status: "released" }), {}, []],
  ["another maker", schedule({ metadata: {} }), {}, []],
])("a schedule that has %s keeps or gets its card as expected", async (_, given, over, expected) => {
  const { billing, sent } = recording();
  await keepCard(billing, subscription({ schedule: given, ...over }));
  expect(sent).toEqual(expected);
});
