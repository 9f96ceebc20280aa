import { afterEach, describe, expect, it } from "vitest";
import { clientOf, start, useLocalStripe } from "./local.ts";
import { aPrice, idOf, refusal, there } from "./target.ts";

const local = useLocalStripe({ now: () => start });
afterEach(() => local.control("reset"));

const aCharge = async () => {
  const { stripe } = local;
  const card = "pm_card_visa";
  const { id: customer } = await stripe.customers.create({
    payment_method: card,
    invoice_settings: { default_payment_method: card },
  });
  const { id } = await stripe.subscriptions.create({ customer, items: [{ price: await aPrice(stripe) }] });
  const [charge] = (await stripe.charges.list({ customer })).data;
  return { customer, subscription: id, charge: idOf(charge) };
};
const refundedOf = async (charge: string) => (await local.stripe.charges.retrieve(charge)).amount_refunded;
const requests = async () => {
  const response = await fetch(`${local.server.url}/_fake/requests`);
  return (await response.json()) as { method: string; path: string; idempotency_key: string | null; status: number }[];
};

describe("the next API calls fail", () => {
  it("an API call fails before its effect, and a retry with the same key has the effect", async () => {
    const { charge } = await aCharge();
    await local.control("faults", { fail_next: 1 });
    const ask = () => local.stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: "again" });
    expect(await refusal(ask())).toMatchObject({ type: "StripeAPIError", status: 500 });
    expect(await refundedOf(charge)).toBe(0);
    await ask();
    expect(await refundedOf(charge)).toBe(100);
  });

  it("an API call fails after its effect, and a retry with the same key does not repeat it", async () => {
    const { charge } = await aCharge();
    await local.control("faults", { fail_next: { count: 2, after: true } });
    const ask = () => local.stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: "lost" });
    expect(await refusal(ask())).toMatchObject({ status: 500 });
    expect(await refusal(ask())).toMatchObject({ status: 500 });
    const refund = await ask();
    expect(refund.amount).toBe(100);
    expect(await refundedOf(charge)).toBe(100);
    expect((await local.stripe.refunds.list({ charge })).data.map(({ id }) => id)).toEqual([refund.id]);
  });

  it.each([
    { after: false, refunded: 0 },
    { after: true, refunded: 100 },
  ])(
    "an API call fails inside the API, and every retry with the same key returns the same error: $after",
    async ({ after, refunded }) => {
      const { charge } = await aCharge();
      await local.control("faults", { fail_next: { count: 1, stored: true, after } });
      const ask = () => local.stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: "broken" });
      const first = await refusal(ask());
      expect(first).toMatchObject({ status: 500 });
      expect(await refusal(ask())).toEqual(first);
      expect(await refundedOf(charge)).toBe(refunded);
    },
  );

  it("the fault control makes an API call fail with 429 or with an invalid response", async () => {
    await local.control("faults", { fail_next: { status: 429 } });
    expect(await refusal(local.stripe.events.list())).toMatchObject({
      type: "StripeRateLimitError",
      status: 429,
      code: "rate_limit",
    });
    await local.control("faults", { fail_next: { nonsense: true } });
    expect(await refusal(local.stripe.events.list())).toMatchObject({ type: "StripeAPIError" });
    expect((await local.stripe.events.list()).object).toBe("list");
  });

  it("an API call fails, and the client's own retry hides the failure", async () => {
    const { charge } = await aCharge();
    await local.control("faults", { fail_next: { count: 1, after: true } });
    const patient = clientOf(local.server.url, { maxNetworkRetries: 1 });
    await patient.refunds.create({ charge, amount: 100 });
    expect(await refundedOf(charge)).toBe(100);
    const asked = (await requests()).filter(({ path }) => path === "/v1/refunds");
    expect(asked.map(({ status }) => status)).toEqual([500, 200]);
    expect(new Set(asked.map(({ idempotency_key: key }) => key)).size).toBe(1);
  });
});

it("a second request with the key of a request in progress is refused", async () => {
  const { charge } = await aCharge();
  await local.control("faults", { latency_ms: 300 });
  const ask = () => local.stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: "both" });
  const outcomes = await Promise.allSettled([ask(), ask()]);
  const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason as object);
  expect(refused).toMatchObject([{ statusCode: 409, code: "idempotency_key_in_use" }]);
  expect(await refundedOf(charge)).toBe(100);
  await local.control("faults", { latency_ms: 0 });
  expect((await ask()).amount).toBe(100);
});

it("an idempotency key expires after a day", async () => {
  const { charge } = await aCharge();
  const ask = () => local.stripe.refunds.create({ charge, amount: 100 }, { idempotencyKey: "old" });
  await ask();
  await local.control("advance", { days: 0.9 });
  await ask();
  expect(await refundedOf(charge)).toBe(100);
  await local.control("advance", { days: 0.2 });
  await ask();
  expect(await refundedOf(charge)).toBe(200);
});

it("the fault control declines the requested number of payments", async () => {
  const { customer, subscription } = await aCharge();
  await local.control("faults", { decline: 2 });
  await local.control("advance", { days: 40 });
  const { data } = await local.stripe.charges.list({ customer });
  expect(data.map(({ status }) => status)).toEqual(["succeeded", "failed", "failed", "succeeded"]);
  expect((await local.stripe.subscriptions.retrieve(subscription)).status).toBe("active");
});

describe("a refund", () => {
  it.each(["pending", "requires_action", "failed"] as const)(
    "a refund is %s if the fault control says so",
    async (status) => {
      const { charge } = await aCharge();
      await local.control("faults", { refund_status: status });
      const refund = await local.stripe.refunds.create({ charge, amount: 100 });
      expect(refund.status).toBe(status);
      expect(await refundedOf(charge)).toBe(status === "failed" ? 0 : 100);
    },
  );

  it("a pending refund is settled as time passes", async () => {
    const { charge } = await aCharge();
    await local.control("faults", { refund_status: "pending" });
    const { id } = await local.stripe.refunds.create({ charge });
    await local.control("advance", { days: 4 });
    expect(await local.stripe.refunds.retrieve(id)).toMatchObject({ status: "pending", pending_reason: "processing" });
    await local.control("advance", { days: 1 });
    expect(await local.stripe.refunds.retrieve(id)).not.toHaveProperty("pending_reason");
  });

  it.each(["failed", "canceled"] as const)(
    "a refund that is %s by hand returns the money to the charge",
    async (status) => {
      const { charge } = await aCharge();
      await local.control("faults", { refund_status: "pending" });
      const { id } = await local.stripe.refunds.create({ charge });
      await local.control(`refunds/${id}`, { status });
      expect(await local.stripe.charges.retrieve(charge)).toMatchObject({ amount_refunded: 0, refunded: false });
      await expect(local.control(`refunds/${id}`, { status: "succeeded" })).rejects.toThrow(`A ${status} refund`);
      await local.control("advance", { days: 6 });
      expect((await local.stripe.refunds.retrieve(id)).status).toBe(status);
    },
  );

  it("a refund from the dashboard control has no metadata, and the API lists it like any other refund", async () => {
    const { charge } = await aCharge();
    await local.control("refund", { charge, amount: 700 });
    expect((await local.stripe.refunds.list({ charge })).data).toMatchObject([
      { amount: 700, metadata: {}, reason: null },
    ]);
    await expect(local.control("refund", { charge, amount: 9_000 })).rejects.toThrow("greater than unrefunded");
  });
});

it("an event appears in lists only after the delay of the fault, and can be retrieved before that", async () => {
  const { id: customer } = await local.stripe.customers.create();
  const [event] = (await local.stripe.events.list()).data;
  await local.control("faults", { unlisted_events_s: 60 });
  expect((await local.stripe.events.list()).data).toEqual([]);
  expect((await local.stripe.events.retrieve(there(event).id)).type).toBe("customer.created");
  expect((await local.stripe.customers.list()).data.map(({ id }) => id)).toEqual([customer]);
  await local.control("advance", { days: 60 / 86_400 });
  expect((await local.stripe.events.list()).data.map(({ id }) => id)).toEqual([event?.id]);
});

describe("a dispute", () => {
  const eventTypes = async () => {
    const { data } = await local.stripe.events.list({ type: "charge.dispute.*" });
    return data.map(({ type }) => type.slice("charge.dispute.".length)).toReversed();
  };

  it("a won dispute returns the money, which can then be refunded", async () => {
    const { charge } = await aCharge();
    await local.control("disputes", { charge });
    expect(await refusal(local.stripe.refunds.create({ charge }))).toMatchObject({ code: "charge_disputed" });
    await local.control("disputes", { charge, status: "won" });
    expect(await eventTypes()).toEqual(["created", "funds_withdrawn", "updated", "funds_reinstated", "closed"]);
    expect((await local.stripe.refunds.create({ charge })).status).toBe("succeeded");
  });

  it("a dispute can begin as an inquiry and be lost", async () => {
    const { charge } = await aCharge();
    await local.control("disputes", { charge, status: "warning_needs_response" });
    await local.stripe.refunds.create({ charge, amount: 1 });
    await local.control("disputes", { charge, status: "needs_response" });
    await local.control("disputes", { charge, status: "lost" });
    expect(await eventTypes()).toEqual(["created", "updated", "funds_withdrawn", "updated", "closed"]);
    expect(await refusal(local.stripe.refunds.create({ charge }))).toMatchObject({ code: "charge_disputed" });
    const [dispute] = (await local.stripe.disputes.list({ charge })).data;
    expect((await local.stripe.disputes.retrieve(there(dispute).id)).status).toBe("lost");
    await expect(local.control("disputes", { charge, status: "won" })).rejects.toThrow("lost already");
    await local.control("disputes", { charge, status: "appeal_under_review" });
    for (const status of ["warning_needs_response", "under_review"])
      await expect(local.control("disputes", { charge, status })).rejects.toThrow("appeal_under_review already");
    await local.control("disputes", { charge, status: "won" });
  });

  it("a prevented dispute has returned the money to the customer, and is final", async () => {
    const { charge } = await aCharge();
    await local.control("disputes", { charge, status: "prevented" });
    expect(await eventTypes()).toEqual(["created", "funds_withdrawn", "updated", "closed"]);
    const [dispute] = (await local.stripe.disputes.list({ charge })).data;
    expect(dispute).toMatchObject({ status: "prevented", is_charge_refundable: false });
    expect(await refusal(local.stripe.refunds.create({ charge }))).toMatchObject({ code: "charge_disputed" });
    for (const status of ["won", "appeal_under_review"])
      await expect(local.control("disputes", { charge, status })).rejects.toThrow("prevented already");
  });

  it("a lost dispute can be appealed once, and the appeal closes it again", async () => {
    const { charge } = await aCharge();
    await expect(local.control("disputes", { charge, status: "appeal_under_review" })).rejects.toThrow("no dispute");
    await local.control("disputes", { charge });
    await expect(local.control("disputes", { charge, status: "appeal_under_review" })).rejects.toThrow(
      "needs_response",
    );
    await local.control("disputes", { charge, status: "lost" });
    await local.control("disputes", { charge, status: "appeal_needs_response" });
    await local.control("disputes", { charge, status: "appeal_under_review" });
    expect(await refusal(local.stripe.refunds.create({ charge }))).toMatchObject({ code: "charge_disputed" });
    await local.control("disputes", { charge, status: "won" });
    const [updated, reinstated, closed] = ["updated", "funds_reinstated", "closed"];
    const first = ["created", "funds_withdrawn", updated, closed];
    expect(await eventTypes()).toEqual([...first, updated, updated, updated, reinstated, closed]);
    expect((await local.stripe.refunds.create({ charge })).status).toBe("succeeded");
  });
});

it("the request log of the stand-in lists requests in order until it is cleared", async () => {
  await fetch(`${local.server.url}/_fake/requests`, { method: "DELETE" });
  await local.stripe.products.create({ name: "Cask" }, { idempotencyKey: "p" });
  await refusal(local.stripe.charges.retrieve("ch_0"));
  expect(await requests()).toEqual([
    { method: "POST", path: "/v1/products", idempotency_key: "p", status: 200 },
    { method: "GET", path: "/v1/charges/ch_0", idempotency_key: null, status: 404 },
  ]);
});

it("an unknown control, or one with invalid parameters, is refused", async () => {
  await expect(local.control("explode")).rejects.toThrow("404");
  await expect(local.control("faults", { explode: true })).rejects.toThrow("400");
  await expect(local.control("advance", { days: -1 })).rejects.toThrow("400");
});
