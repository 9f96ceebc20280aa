import { expect, it } from "vitest";
import { handler as cancelSubscription } from "../../../functions/members/cancel-subscription.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

it("the subscription details have the attempts to collect the newest invoice, and the time of the next attempt", async () => {
  const member = await money.aSubscriber(community);
  const invoiceOf = async () =>
    (await money.call(subscriptionDetails, forMember(member))).body?.latest_invoice as object;
  expect(await invoiceOf()).toMatchObject({ status: "paid", attempts_made: 1, next_attempt_at: null });
  await money.control("faults", { decline: true });
  await money.control("advance", { days: 33 });
  const invoice = await invoiceOf();
  await money.control("faults", { decline: 0 });
  const next_attempt_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/);
  expect(invoice).toMatchObject({ status: "open", attempts_made: expect.any(Number), next_attempt_at });
});

it("the subscription details have the reason and the comment of the cancellation", async () => {
  const member = await money.aSubscriber(community);
  const detailsNow = async () => (await money.call(subscriptionDetails, forMember(member))).body;
  expect(await detailsNow()).toMatchObject({ cancellation_feedback: null, cancellation_comment: null });
  await money.call(cancelSubscription, {
    ...forMember(member),
    body: { feedback: "too_expensive", comment: "Two clubs are too many" },
  });
  expect(await detailsNow()).toMatchObject({
    cancellation_feedback: "too_expensive",
    cancellation_comment: "Two clubs are too many",
  });
});

it("the subscription details have the card that Stripe charges, and the price and newest invoice of the subscription", async () => {
  const member = await money.aSubscriber(community);
  const subscription = await money.stripe.subscriptions.retrieve(member.stripe_subscription_id ?? "", {
    expand: ["default_payment_method", "latest_invoice"],
  });
  const { default_payment_method: method, latest_invoice: invoice, items } = subscription;
  if (method === null || typeof method === "string" || !method.card) throw new Error("The subscription has no card");
  if (invoice === null || typeof invoice === "string") throw new Error("The subscription has no invoice");
  const { brand, last4, exp_month, exp_year } = method.card;
  expect((await money.call(subscriptionDetails, forMember(member))).body).toMatchObject({
    default_payment_method: { type: "card", brand, last4, exp_month, exp_year },
    price: { id: items.data[0]?.price.id, unit_amount_cents: 2500, currency: "usd", interval: "month" },
    latest_invoice: {
      id: invoice.id,
      status: "paid",
      amount_due_cents: 2500,
      hosted_invoice_url: invoice.hosted_invoice_url,
    },
  });
});
