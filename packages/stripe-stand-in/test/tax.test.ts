import type Stripe from "stripe";
import { afterEach, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { membersOf } from "./members.ts";
import { aPrice, idOf, refusal, there } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));
const { subscribe } = membersOf(local);

const retrieve = (id: string) => local.stripe.subscriptions.retrieve(id);
const schedules = () => local.stripe.subscriptionSchedules;

/** The tax settings of a subscription or a phase, with the ids of its tax rates. */
const taxIn = ({ automatic_tax, default_tax_rates }: Stripe.Subscription | Stripe.SubscriptionSchedule.Phase) => ({
  isAutomatic: automatic_tax?.enabled ?? false,
  rates: default_tax_rates?.map(({ id }) => id),
});
const ratesOf = ({ items }: Stripe.Subscription) => items.data[0]?.tax_rates?.map(({ id }) => id);

const settings = { automatic_tax: { enabled: true }, default_tax_rates: ["txr_vat", "txr_city"] };
const taxed = { isAutomatic: true, rates: settings.default_tax_rates };
const untaxed = { isAutomatic: false, rates: [] };

async function taxedMember() {
  const member = await subscribe();
  const items = [{ id: member.item, tax_rates: ["txr_item"] }];
  await local.stripe.subscriptions.update(member.id, { ...settings, items });
  return member;
}

it("a new subscription has the tax rates and the automatic tax that it is created with", async () => {
  const { customer } = await subscribe();
  const items = [{ price: await aPrice(local.stripe), tax_rates: ["txr_item"] }];
  const subscription = await local.stripe.subscriptions.create({ customer, items, ...settings });
  expect([taxIn(subscription), ratesOf(subscription)]).toEqual([taxed, ["txr_item"]]);
  expect(subscription.automatic_tax.liability).toEqual({ type: "self" });
  expect(subscription.default_tax_rates?.[0]).toMatchObject({ object: "tax_rate", active: true, livemode: false });
});

it("an update of a subscription keeps the tax settings that it leaves out, and an empty text removes tax rates", async () => {
  const { id, item } = await taxedMember();
  const price = await aPrice(local.stripe, 5_600);
  const changed = await local.stripe.subscriptions.update(id, { items: [{ id: item, price }], description: "d" });
  expect([taxIn(changed), ratesOf(changed)]).toEqual([taxed, ["txr_item"]]);
  await local.stripe.subscriptions.update(id, {
    automatic_tax: { enabled: false },
    default_tax_rates: "",
    items: [{ id: item, tax_rates: "" }],
  });
  const cleared = await retrieve(id);
  expect([taxIn(cleared), ratesOf(cleared)]).toEqual([untaxed, []]);
});

it("automatic tax has the liability that it is given", async () => {
  const { id } = await subscribe();
  const liability = { type: "account", account: "acct_1" } as const;
  const { automatic_tax } = await local.stripe.subscriptions.update(id, {
    automatic_tax: { enabled: true, liability },
  });
  expect(automatic_tax).toEqual({ enabled: true, disabled_reason: null, liability });
});

it("a schedule that is created from a subscription has its tax settings in its only phase", async () => {
  const { id } = await taxedMember();
  const { phases } = await schedules().create({ from_subscription: id });
  expect(taxIn(there(phases[0]))).toEqual(taxed);
  expect(phases[0]?.items[0]?.tax_rates).toMatchObject([{ id: "txr_item" }]);
});

/** Schedules another price, with tax settings of the current phase and of the next one. */
async function schedule(id: string, current: object, next: object, itemTax: object) {
  const { id: created, phases } = await schedules().create({ from_subscription: id });
  const [phase] = phases;
  const items = [{ price: idOf(phase?.items[0]?.price), ...itemTax }];
  const { start_date, end_date } = there(phase);
  const price = await aPrice(local.stripe, 1_400);
  return schedules().update(created, {
    phases: [
      { ...current, items, start_date, end_date },
      { ...next, items: [{ price, ...itemTax }], proration_behavior: "none" },
    ],
  });
}

it("the current phase of an updated schedule removes the tax settings that it leaves out", async () => {
  const { id } = await taxedMember();
  await schedule(id, {}, settings, {});
  const subscription = await retrieve(id);
  expect([taxIn(subscription), ratesOf(subscription)]).toEqual([untaxed, []]);
});

it("a phase that begins removes the tax settings that it leaves out", async () => {
  const { id } = await taxedMember();
  await schedule(id, settings, {}, {});
  expect(taxIn(await retrieve(id))).toEqual(taxed);
  await local.control("advance", { days: 28 });
  expect(taxIn(await retrieve(id))).toEqual(untaxed);
});

it("phases with tax settings give them to the subscription, which keeps them after the schedule", async () => {
  const { id } = await subscribe();
  const { phases } = await schedule(id, {}, settings, { tax_rates: ["txr_item"] });
  expect(taxIn(there(phases[1]))).toEqual(taxed);
  expect(ratesOf(await retrieve(id))).toEqual(["txr_item"]);
  for (const days of [28, 31]) {
    await local.control("advance", { days });
    const subscription = await retrieve(id);
    expect([taxIn(subscription), ratesOf(subscription)]).toEqual([taxed, ["txr_item"]]);
  }
  expect((await retrieve(id)).schedule).toBeNull();
});

it("a preview refuses tax settings, because invoices have no tax", async () => {
  const { id, item } = await subscribe();
  const preview = local.stripe.invoices.createPreview({
    subscription: id,
    subscription_details: { items: [{ id: item, tax_rates: ["txr_item"] }] },
  });
  expect(await refusal(preview)).toMatchObject({ status: 400, code: "parameter_unknown" });
});
