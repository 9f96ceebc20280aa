import { afterEach, describe, expect, it } from "vitest";
import { start, useLocalStripe } from "./local.ts";
import { membersOf } from "./members.ts";
import { eventsOf, idOf, refusal } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));
const { subscribe, change, useCard, latest } = membersOf(local);

const declined = "pm_card_chargeCustomerFail";
const confirmed = "pm_card_authenticationRequired";
const always = { proration_behavior: "always_invoice" } as const;

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

describe("a change whose payment fails", () => {
  it.each([declined, confirmed])(
    "allow_incomplete applies an unpaid change and makes the subscription past_due: %s",
    async (card) => {
      const member = await unpayable(card);
      const changed = await change(member, 5_600, always);
      expect(changed.status).toBe("past_due");
      expect(await amountOf(member.id)).toBe(5_600);
      expect(await latest(member.id)).toMatchObject({ status: "open", amount_due: 1_400, attempt_count: 1 });
      const card2 = await local.stripe.paymentMethods.attach("pm_card_visa", { customer: member.customer });
      await local.stripe.invoices.pay(idOf(changed.latest_invoice), { payment_method: card2.id });
      expect((await retrieve(member.id)).status).toBe("active");
    },
  );

  it("default_incomplete applies an unpaid change without a payment attempt", async () => {
    const member = await subscribe(2_800);
    const changed = await change(member, 5_600, { ...always, payment_behavior: "default_incomplete" });
    expect(changed.status).toBe("past_due");
    expect(await latest(member.id)).toMatchObject({ status: "open", attempted: false });
    await local.stripe.invoices.pay(idOf(changed.latest_invoice));
    expect((await retrieve(member.id)).status).toBe("active");
  });

  it.each([
    { card: declined, code: "card_declined" },
    { card: confirmed, code: "subscription_payment_intent_requires_action" },
  ])(
    "error_if_incomplete refuses an unpaid change with 402 $code, and leaves a voided invoice",
    async ({ card, code }) => {
      const member = await unpayable(card);
      const before = await retrieve(member.id);
      const refused = change(member, 5_600, { ...always, payment_behavior: "error_if_incomplete" });
      expect(await refusal(refused)).toMatchObject({ status: 402, code });
      expect(await retrieve(member.id)).toEqual(before);
      expect(await statuses(member.id)).toEqual(["void", "paid"]);
    },
  );

  it("with the setting refused_change, error_if_incomplete leaves nothing", async () => {
    await local.control("faults", { refused_change: "nothing" });
    const member = await unpayable();
    const refused = change(member, 5_600, { ...always, payment_behavior: "error_if_incomplete" });
    expect(await refusal(refused)).toMatchObject({ status: 402, code: "card_declined" });
    expect(await statuses(member.id)).toEqual(["paid"]);
    expect((await local.stripe.charges.list({ customer: member.customer })).data).toHaveLength(1);
  });

  it("a renewal with a card that requires 3D Secure is past_due until its invoice is paid", async () => {
    const member = await unpayable(confirmed);
    await local.control("advance", { days: 14 });
    expect((await retrieve(member.id)).status).toBe("past_due");
    expect(await eventsOf(local.stripe, member.customer)).toEqual(
      expect.arrayContaining([
        "payment_intent.requires_action",
        "invoice.payment_action_required",
        "invoice.payment_failed",
      ]),
    );
    const invoice = await latest(member.id);
    expect(await refusal(local.stripe.invoices.pay(invoice.id))).toMatchObject({
      status: 402,
      code: "invoice_payment_intent_requires_action",
    });
    await fetch(String(invoice.hosted_invoice_url), { method: "POST", body: new URLSearchParams({ card: "paid" }) });
    expect((await retrieve(member.id)).status).toBe("active");
  });
});
