import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { aPrice, aSubscriber, eventsOf, eventually, idOf, refusal, there, useTarget } from "../target.ts";

const target = useTarget();

const periodOf = ({ items }: Stripe.Subscription) => {
  const { current_period_start: start, current_period_end: end } = there(items.data[0]);
  return { start, end };
};

describe("a subscription that is paid", () => {
  it("a paid subscription has an invoice with its payment and charge", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    expect(subscription).toMatchObject({ status: "active", cancel_at: null, ended_at: null, livemode: false });

    const details = await stripe.subscriptions.retrieve(subscription.id, {
      expand: ["customer", "items.data.price.product", "latest_invoice.payments"],
    });
    const invoice = details.latest_invoice as Stripe.Invoice;
    expect(invoice).toMatchObject({ status: "paid", billing_reason: "subscription_create", amount_paid: 2_500 });
    expect(invoice.parent?.subscription_details?.subscription).toBe(subscription.id);
    expect(details.customer).toMatchObject({ email: customer.email });
    expect(details.items.data[0]?.price.product).toMatchObject({ name: "Gold plan" });

    const payment = there(invoice.payments?.data[0]);
    expect(payment).toMatchObject({ status: "paid", amount_paid: 2_500, payment: { type: "payment_intent" } });
    const intent = await stripe.paymentIntents.retrieve(idOf(payment.payment.payment_intent), {
      expand: ["latest_charge"],
    });
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 2_500 });
    expect(intent.latest_charge).toMatchObject({ status: "succeeded", captured: true, customer: customer.id });

    const back = await stripe.invoicePayments.list({
      payment: { type: "payment_intent", payment_intent: intent.id },
    });
    expect(back.data.map(({ invoice: id }) => id)).toEqual([invoice.id]);
  });

  it("a subscription is renewed at the end of its period, and the next period follows without a gap", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    await target.pass(customer, 32);

    const renewed = await stripe.subscriptions.retrieve(subscription.id);
    expect(renewed.status).toBe("active");
    expect(periodOf(renewed).start).toBe(periodOf(subscription).end);
    const { data } = await stripe.invoices.list({
      subscription: subscription.id,
      status: "paid",
      expand: ["data.payments"],
    });
    expect(data.map(({ billing_reason }) => billing_reason)).toEqual(["subscription_cycle", "subscription_create"]);
    expect(idOf(renewed.latest_invoice)).toBe(data[0]?.id);

    const paidBy = data.map(({ payments }) => idOf(payments?.data[0]?.payment.payment_intent));
    const charges = await stripe.charges.list({ customer: customer.id, expand: ["data.refunds"] });
    expect(charges.data.map(({ payment_intent }) => payment_intent)).toEqual(paidBy);
  });

  it("a subscription with a new price is billed for it from the next invoice on", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    const price = await aPrice(stripe, 5_000);
    const items = [{ id: idOf(subscription.items.data[0]), price }];
    const changed = await stripe.subscriptions.update(subscription.id, { items, proration_behavior: "none" });
    expect(changed.items.data[0]?.price.id).toBe(price);
    await target.pass(customer, 32);
    const { data } = await stripe.charges.list({ customer: customer.id });
    expect(data.map(({ amount }) => amount)).toEqual([5_000, 2_500]);
  });
});

it("a trial is free until it ends, and then the first payment is made", async () => {
  const { stripe } = target;
  const customer = await target.customer();
  const subscription = await stripe.subscriptions.create({
    customer: customer.id,
    items: [{ price: await aPrice(stripe) }],
    trial_period_days: 7,
    expand: ["latest_invoice.payments"],
  });
  expect(subscription.status).toBe("trialing");
  expect(subscription.trial_end).toBe(periodOf(subscription).end);
  const invoice = subscription.latest_invoice as Stripe.Invoice;
  expect(invoice).toMatchObject({ status: "paid", amount_paid: 0 });
  expect(invoice.payments?.data).toEqual([]);
  expect((await stripe.charges.list({ customer: customer.id })).data).toEqual([]);

  await target.pass(customer, 8);
  const paid = await stripe.subscriptions.retrieve(subscription.id);
  expect(paid.status).toBe("active");
  expect(periodOf(paid).start).toBe(subscription.trial_end);
  expect((await stripe.charges.list({ customer: customer.id })).data).toMatchObject([{ amount: 2_500 }]);
  await eventually(async () => {
    expect(await eventsOf(stripe, customer.id)).toContain("customer.subscription.trial_will_end");
  });
});

describe("a payment that fails", () => {
  it("a failed first payment leaves a new subscription incomplete until it is paid", async () => {
    const { stripe } = target;
    const customer = await target.customer("pm_card_chargeCustomerFail");
    const subscription = await stripe.subscriptions.create({
      customer: customer.id,
      items: [{ price: await aPrice(stripe) }],
    });
    expect(subscription.status).toBe("incomplete");
    expect((await stripe.charges.list({ customer: customer.id })).data).toMatchObject([
      { status: "failed", paid: false, failure_code: "card_declined" },
    ]);

    const card = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay(idOf(subscription.latest_invoice), { payment_method: card.id });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
  });

  it("a renewal that is declined makes the subscription past_due, and paying its invoice makes it active again", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    const bad = await stripe.paymentMethods.attach("pm_card_chargeCustomerFail", { customer: customer.id });
    await stripe.customers.update(customer.id, { invoice_settings: { default_payment_method: bad.id } });
    const { start, end } = periodOf(subscription);
    // One day into the next period, whatever the length of the month, and before the payment is retried.
    await target.pass(customer, (end - start) / 86_400 + 1);

    const late = await stripe.subscriptions.retrieve(subscription.id, { expand: ["latest_invoice"] });
    const invoice = late.latest_invoice as Stripe.Invoice;
    expect(late.status).toBe("past_due");
    expect(invoice).toMatchObject({ status: "open", amount_remaining: 2_500, attempt_count: 1 });
    expect(invoice.next_payment_attempt).toBeGreaterThan(invoice.created);

    expect(await refusal(stripe.invoices.pay(invoice.id))).toMatchObject({
      type: "StripeCardError",
      status: 402,
      code: "card_declined",
    });
    const good = await stripe.paymentMethods.attach("pm_card_visa", { customer: customer.id });
    await stripe.invoices.pay(invoice.id, { payment_method: good.id });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
    const { data } = await stripe.charges.list({ customer: customer.id });
    expect(data.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed", "succeeded"]);
    expect(await eventsOf(stripe, customer.id)).toEqual(
      expect.arrayContaining(["charge.failed", "payment_intent.payment_failed", "invoice.payment_failed"]),
    );
  });
});

describe("a cancellation", () => {
  it("a cancellation at the end of the period is scheduled, withdrawn, scheduled again and performed", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    const schedule = (cancel_at_period_end: boolean) =>
      stripe.subscriptions.update(subscription.id, { cancel_at_period_end });

    const scheduled = await stripe.subscriptions.update(subscription.id, {
      cancel_at_period_end: true,
      cancellation_details: { comment: "Moving abroad", feedback: "unused" },
    });
    expect(scheduled).toMatchObject({
      status: "active",
      cancel_at_period_end: true,
      cancel_at: periodOf(subscription).end,
      canceled_at: expect.any(Number),
      cancellation_details: { comment: "Moving abroad", feedback: "unused", reason: "cancellation_requested" },
    });
    expect(await schedule(false)).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });

    await schedule(true);
    await target.pass(customer, 32);
    const ended = await stripe.subscriptions.retrieve(subscription.id);
    expect(ended).toMatchObject({ status: "canceled", ended_at: periodOf(subscription).end });
    expect((await stripe.charges.list({ customer: customer.id })).data).toHaveLength(1);
    await eventually(async () => {
      expect((await eventsOf(stripe, customer.id)).at(-1)).toBe("customer.subscription.deleted");
    });
  });

  it("an immediate cancellation ends the subscription, refunds nothing, and cannot be repeated", async () => {
    const { stripe } = target;
    const { subscription, charge } = await aSubscriber(target);
    const cancel = () =>
      stripe.subscriptions.cancel(subscription.id, {
        invoice_now: false,
        prorate: false,
        cancellation_details: { comment: "By the owner", feedback: "other" },
      });
    const canceled = await cancel();
    expect(canceled).toMatchObject({ status: "canceled", cancellation_details: { comment: "By the owner" } });
    expect(canceled.ended_at).toBe(canceled.canceled_at);
    expect((await stripe.charges.retrieve(charge.id)).amount_refunded).toBe(0);
    expect(idOf(canceled.latest_invoice)).not.toBe("");

    expect(await refusal(cancel())).toMatchObject({
      status: 404,
      code: "resource_missing",
      message: `No such subscription: '${subscription.id}'`,
    });
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
  });

  it("a cancellation by cancel_at does not set cancel_at_period_end, and is withdrawn by clearing cancel_at", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    const { end } = periodOf(subscription);
    const scheduled = await stripe.subscriptions.update(subscription.id, { cancel_at: end });
    expect(scheduled).toMatchObject({ cancel_at: end, cancel_at_period_end: false });

    const untouched = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: false });
    expect(untouched.cancel_at).toBe(end);
    const kept = await stripe.subscriptions.update(subscription.id, { cancel_at: "" });
    expect(kept).toMatchObject({ cancel_at: null, canceled_at: null });

    await stripe.subscriptions.update(subscription.id, { cancel_at: "min_period_end" });
    await target.pass(customer, 32);
    expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
  });

  it("cancel_at in the middle of a period ends the subscription at that time", async () => {
    const { stripe } = target;
    const { customer, subscription } = await aSubscriber(target);
    const cancelAt = subscription.created + 10 * 86_400;
    await stripe.subscriptions.update(subscription.id, { cancel_at: cancelAt });
    await target.pass(customer, 11);
    expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({
      status: "canceled",
      ended_at: cancelAt,
    });
  });

  it("only the cancellation details of a canceled subscription can be changed", async () => {
    const { stripe } = target;
    const { subscription } = await aSubscriber(target);
    await stripe.subscriptions.cancel(subscription.id);
    expect(await refusal(stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true }))).toMatchObject({
      status: 400,
      message: "A canceled subscription can only update its cancellation_details and metadata.",
    });
    const updated = await stripe.subscriptions.update(subscription.id, {
      cancellation_details: { comment: "Said later" },
      metadata: { seen: "yes" },
    });
    expect(updated).toMatchObject({ metadata: { seen: "yes" }, cancellation_details: { comment: "Said later" } });
  });
});

it("the list of subscriptions omits canceled ones by default, and can be filtered by status", async () => {
  const { stripe } = target;
  const { customer, subscription: over } = await aSubscriber(target);
  const price = await aPrice(stripe);
  const { id: live } = await stripe.subscriptions.create({ customer: customer.id, items: [{ price }] });
  await stripe.subscriptions.cancel(over.id);
  const listed = async (params: Stripe.SubscriptionListParams) =>
    (await stripe.subscriptions.list({ customer: customer.id, ...params })).data.map(({ id }) => id);

  expect(await listed({})).toEqual([live]);
  expect(await listed({ status: "all" })).toEqual([live, over.id]);
  expect(await listed({ status: "canceled" })).toEqual([over.id]);
  expect(await listed({ status: "ended" })).toEqual([over.id]);
  expect(await listed({ price })).toEqual([live]);
});

it("deleting a customer ends their subscriptions", async () => {
  const { stripe } = target;
  const { customer, subscription } = await aSubscriber(target);
  expect(await stripe.customers.del(customer.id)).toEqual({ id: customer.id, object: "customer", deleted: true });
  expect(await stripe.customers.retrieve(customer.id)).toMatchObject({ deleted: true });
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
  expect(await refusal(stripe.customers.update(customer.id, { name: "Ada" }))).toMatchObject({ status: 404 });
});
