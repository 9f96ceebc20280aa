import { afterEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { membersOf, periodOf } from "./members.ts";
import { aPrice, eventsOf, idOf, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));
const { subscribe, change, useCard, latest } = membersOf(local);

const declined = "pm_card_chargeCustomerFail";
const confirmed = "pm_card_authenticationRequired";
const always = { proration_behavior: "always_invoice" } as const;
const pending = { ...always, payment_behavior: "pending_if_incomplete" } as const;

const retrieve = (id: string) => local.stripe.subscriptions.retrieve(id);
const amountOf = async (id: string) => (await retrieve(id)).items.data[0]?.price.unit_amount;
const statuses = async (subscription: string) =>
  (await local.stripe.invoices.list({ subscription })).data.map(({ status }) => status);

/** A member whose card fails from now on, halfway through the month. */
async function unpayable(card = declined) {
  const member = await subscribe(2_800);
  await useCard(member.customer, card);
  await local.control("advance", { days: 14 });
  return member;
}

describe("pending_if_incomplete", () => {
  it("pending_if_incomplete applies a change that is paid or costs nothing", async () => {
    const member = await subscribe(2_800);
    expect(await change(member, 5_600, pending)).toMatchObject({ pending_update: null, status: "active" });
    expect(await change(member, 2_800, pending)).toMatchObject({ pending_update: null });
    expect(await change(member, 5_600, { payment_behavior: "pending_if_incomplete" })).toMatchObject({
      pending_update: null,
    });
    expect(await amountOf(member.id)).toBe(5_600);
  });

  it.each([declined, confirmed])("a pending update keeps the old price until its invoice is paid: %s", async (card) => {
    const member = await unpayable(card);
    const changed = await change(member, 5_600, { ...pending, metadata: { tier: "gold" } });
    const invoice = await latest(member.id);
    expect(changed).toMatchObject({
      status: "active",
      latest_invoice: invoice.id,
      metadata: {},
      pending_update: {
        billing_cycle_anchor: null,
        expires_at: start / 1000 + 14 * 86_400 + 23 * 3_600,
        metadata: { tier: "gold" },
        subscription_items: [{ id: member.item, price: { unit_amount: 5_600 } }],
      },
    });
    expect(invoice).toMatchObject({
      status: "open",
      billing_reason: "subscription_update",
      next_payment_attempt: null,
    });
    expect(await amountOf(member.id)).toBe(2_800);

    await fetch(String(invoice.hosted_invoice_url), {
      method: "POST",
      body: new URLSearchParams({ card: "declined" }),
    });
    expect((await retrieve(member.id)).pending_update?.expires_at).toBe(changed.pending_update?.expires_at);
    await fetch(String(invoice.hosted_invoice_url), { method: "POST", body: new URLSearchParams({ card: "paid" }) });
    expect(await retrieve(member.id)).toMatchObject({
      status: "active",
      pending_update: null,
      metadata: { tier: "gold" },
    });
    expect(await amountOf(member.id)).toBe(5_600);
    expect(await eventsOf(local.stripe, member.customer)).toContain("customer.subscription.pending_update_applied");
  });

  it("a pending year begins at the time of the change, also if it is paid later", async () => {
    const member = await unpayable();
    const year = { ...pending, interval: "year", billing_cycle_anchor: { type: "now" } } as const;
    const changed = await change(member, 28_000, year);
    const moment = start / 1000 + 14 * 86_400;
    expect(changed.pending_update?.billing_cycle_anchor).toBe(moment);
    expect(periodOf(changed)).toEqual(["2026-01-31", "2026-02-28"]);
    await local.control("advance", { days: 0.5 });
    await useCard(member.customer, "pm_card_visa");
    await local.stripe.invoices.pay(idOf(changed.latest_invoice));
    const applied = await retrieve(member.id);
    expect(periodOf(applied)).toEqual(["2026-02-14", "2027-02-14"]);
    expect(applied.billing_cycle_anchor).toBe(moment);
    await local.control("advance", { days: 365 });
    expect(await latest(member.id)).toMatchObject({ total: 28_000, billing_reason: "subscription_cycle" });
  });

  it("a pending update expires after 23 hours, and its invoice is voided", async () => {
    const member = await unpayable();
    await change(member, 5_600, pending);
    await local.control("advance", { days: 0.95 });
    expect((await retrieve(member.id)).pending_update).not.toBeNull();
    await local.control("advance", { days: 0.01 });
    expect((await retrieve(member.id)).pending_update).toBeNull();
    expect(await statuses(member.id)).toEqual(["void", "paid"]);
    expect(await eventsOf(local.stripe, member.customer)).toContain("customer.subscription.pending_update_expired");
    expect(await amountOf(member.id)).toBe(2_800);
  });

  it("a pending update expires at the end of the period, before the renewal", async () => {
    const member = await unpayable();
    await local.control("advance", { days: 13.5 });
    const { pending_update: update, items } = await change(member, 5_600, {
      ...pending,
      proration_date: start / 1000 + 86_400,
    });
    expect(update?.expires_at).toBe(items.data[0]?.current_period_end);
    await local.control("advance", { days: 0.5 });
    expect(await statuses(member.id)).toEqual(["open", "void", "paid"]);
    expect(await latest(member.id)).toMatchObject({ total: 2_800 });
  });

  it("a pending update is replaced by another change, and canceled by voiding its invoice", async () => {
    const member = await unpayable();
    await change(member, 5_600, pending);
    const second = await change(member, 8_400, pending);
    expect(await statuses(member.id)).toEqual(["open", "void", "paid"]);
    expect(second.pending_update?.subscription_items).toMatchObject([{ price: { unit_amount: 8_400 } }]);
    await local.stripe.invoices.voidInvoice(idOf(second.latest_invoice));
    expect((await retrieve(member.id)).pending_update).toBeNull();
    expect(await amountOf(member.id)).toBe(2_800);
    const types = await eventsOf(local.stripe, member.customer);
    expect(types).not.toContain("customer.subscription.pending_update_expired");
  });

  it("prorations of earlier changes become pending again when a pending update expires", async () => {
    const member = await subscribe(5_600);
    await local.control("advance", { days: 14 });
    await change(member, 2_800);
    await useCard(member.customer, declined);
    await change(member, 8_400, pending);
    await local.control("advance", { days: 1 });
    const left = await local.stripe.invoiceItems.list({ customer: member.customer, pending: true });
    expect(left.data.map(({ amount }) => amount)).toEqual([1_400, -2_800]);
  });

  it.each([
    { setting: "kept", isPending: true },
    { setting: "expired", isPending: false },
  ])(
    "with the setting $setting, a cancellation at the end of the period leaves a pending update $setting",
    async ({ setting, isPending }) => {
      await local.control("faults", { canceled_pending_update: setting });
      const member = await unpayable();
      await change(member, 5_600, pending);
      const canceled = await local.stripe.subscriptions.update(member.id, { cancel_at_period_end: true });
      expect(canceled.cancel_at_period_end).toBe(true);
      expect((await retrieve(member.id)).pending_update !== null).toBe(isPending);
    },
  );

  it("a conflicting cancel_at_period_end expires a pending update", async () => {
    const member = await unpayable();
    const change1 = await change(member, 5_600, { ...pending, cancel_at_period_end: true });
    expect(change1).toMatchObject({ cancel_at_period_end: false, pending_update: { cancel_at_period_end: true } });
    await local.stripe.subscriptions.update(member.id, { cancel_at_period_end: false });
    expect((await retrieve(member.id)).pending_update).toBeNull();

    const change2 = await change(member, 5_600, { ...pending, cancel_at_period_end: true });
    await useCard(member.customer, "pm_card_visa");
    await local.stripe.invoices.pay(idOf(change2.latest_invoice));
    expect(await retrieve(member.id)).toMatchObject({ cancel_at_period_end: true, pending_update: null });
  });

  it("an immediate cancellation voids the invoice of a pending update", async () => {
    const member = await unpayable();
    await change(member, 5_600, pending);
    await local.stripe.subscriptions.cancel(member.id);
    expect(await statuses(member.id)).toEqual(["void", "paid"]);
  });

  it.each([{ default_payment_method: "pm_1" }, { description: "d" }, { cancel_at: "min_period_end" }] as const)(
    "pending_if_incomplete refuses unsupported parameters: %s",
    async (params) => {
      const member = await subscribe(2_800);
      expect(await refusal(change(member, 5_600, { ...pending, ...params }))).toMatchObject({
        status: 400,
        param: Object.keys(params)[0],
        message: expect.stringContaining("you can only pass supported params"),
      });
    },
  );
});

describe("from free to paid without a card", () => {
  const paid = { ...pending, billing_cycle_anchor: { type: "now" } } as const;
  const free = async () => {
    const { id: customer } = await local.stripe.customers.create({});
    const price = await aPrice(local.stripe, 0);
    const { id, items } = await local.stripe.subscriptions.create({ customer, items: [{ price }] });
    return { customer, id, item: idOf(items.data[0]) };
  };

  it("a change from free to paid without a card is refused by default", async () => {
    const member = await free();
    expect(await refusal(change(member, 2_800, paid))).toMatchObject({ status: 400, code: "resource_missing" });
    expect(await retrieve(member.id)).toMatchObject({ pending_update: null });
    expect(await statuses(member.id)).toEqual(["paid"]);
  });

  it("with the setting pending_without_card, a change from free to paid is paid on the invoice page", async () => {
    await local.control("faults", { pending_without_card: "pending" });
    const member = await free();
    const changed = await change(member, 2_800, paid);
    expect(changed.pending_update).not.toBeNull();
    const invoice = await latest(member.id);
    expect(invoice).toMatchObject({ status: "open", amount_due: 2_800, attempted: false });
    await fetch(String(invoice.hosted_invoice_url), { method: "POST", body: new URLSearchParams({ card: "paid" }) });
    expect(await amountOf(member.id)).toBe(2_800);
  });
});

it("with save_default_payment_method, the card that pays an invoice pays the next ones", async () => {
  await local.control("faults", { pending_without_card: "pending" });
  const { id: customer } = await local.stripe.customers.create({});
  const price = await aPrice(local.stripe, 0);
  const { id, items } = await local.stripe.subscriptions.create({
    customer,
    items: [{ price }],
    payment_settings: { save_default_payment_method: "on_subscription" },
  });
  const member = { customer, id, item: idOf(items.data[0]) };
  await change(member, 2_800, { ...pending, billing_cycle_anchor: { type: "now" } });
  const { hosted_invoice_url: page } = await latest(id);
  await fetch(String(page), { method: "POST", body: new URLSearchParams({ card: "paid" }) });
  expect((await retrieve(id)).default_payment_method).not.toBeNull();
  await local.control("advance", { days: 31 });
  expect(await statuses(id)).toEqual(["paid", "paid", "paid"]);
});
