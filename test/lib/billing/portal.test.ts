import { afterEach, describe, expect, it, vi } from "vitest";
import { findPortal, registerPortal } from "#lib/billing/portal-configuration.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { Problem } from "#lib/problem.ts";
import { handler as createPortalSession } from "../../../functions/checkout/create-portal-session.ts";
import { origin } from "../../support/money/people.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());
const member = setUp(() => money.aSubscriber(community));
afterEach(() => vi.unstubAllEnvs());

const request = () => ({
  params: { community_id: community.id },
  as: member.user,
  body: { return_url: `${origin}/account` },
});
const open = () => money.call(createPortalSession, request());

describe("the customer portal", () => {
  it("a portal session allows changes of card and address and cancellation at period end, and no change of plan", async () => {
    const ours = await findPortal(money.stripe);
    expect(ours?.differences).toEqual([]);
    const { features } = await money.stripe.billingPortal.configurations.retrieve(ours?.id ?? "");
    expect(features).toMatchObject({
      payment_method_update: { enabled: true },
      customer_update: { enabled: true, allowed_updates: ["address", "shipping"] },
      subscription_cancel: { enabled: true, mode: "at_period_end" },
      subscription_pause: { enabled: false },
      subscription_update: { enabled: false },
    });
    expect(await open()).toMatchObject({ status: 201 });
  });

  it("a portal session uses the configuration of Odis if the secret does not name one", async () => {
    vi.stubEnv("STRIPE_SECRET", JSON.stringify({ secret_key: "sk_test_local", webhook_secret: "whsec_local" }));
    expect(await open()).toMatchObject({ status: 201 });
    expect((await money.stripe.billingPortal.configurations.list()).data).toHaveLength(1);
  });

  it("a portal session creates the configuration if there is no active one", async () => {
    const former = await findPortal(money.stripe);
    await money.stripe.billingPortal.configurations.update(former?.id ?? "", { active: false });
    expect(await open()).toMatchObject({ status: 201 });
    const ours = await findPortal(money.stripe);
    expect(ours?.differences).toEqual([]);
    expect(ours?.id).not.toBe(former?.id);
    expect(await open()).toMatchObject({ status: 201 });
    expect((await money.stripe.billingPortal.configurations.list({ active: true })).data).toHaveLength(1);
  });

  it("a portal session returns 502 payment_processor_error if Stripe refuses the new configuration too", async () => {
    const billing = money.platform().billing?.(() => 20_000) as Billing;
    const cause = { message: "The configuration cannot be used." };
    const refusing: Billing = async (ask, key) => {
      if (key?.startsWith("portal-")) throw new Problem("payment_processor_refused", { cause });
      return billing(ask, key);
    };
    expect(
      await money.answer(createPortalSession, request(), money.platform({ billing: () => refusing })),
    ).toMatchObject({
      status: 502,
      body: { code: "payment_processor_error" },
    });
  });

  it("registering the portal twice creates one configuration and reverts changes to it", async () => {
    const first = await registerPortal(money.stripe);
    expect(first.outcome).toBe("unchanged");
    await money.stripe.billingPortal.configurations.update(first.id, {
      features: { subscription_cancel: { enabled: true, mode: "immediately" }, subscription_pause: { enabled: true } },
    });
    expect((await findPortal(money.stripe))?.differences).toEqual([
      "subscription_cancel.mode is not at_period_end",
      "subscription_pause.enabled is not false",
    ]);
    expect(await registerPortal(money.stripe)).toEqual({ outcome: "updated", id: first.id });
    expect((await findPortal(money.stripe))?.differences).toEqual([]);
    expect((await money.stripe.billingPortal.configurations.list({ active: true })).data).toHaveLength(1);
  });
});

it("a portal session uses the configuration that the secret names, although another one is Stripe's default", async () => {
  const { id } = await money.stripe.billingPortal.configurations.create({
    features: { invoice_history: { enabled: true } },
  });
  const stored = { secret_key: "sk_test_local", webhook_secret: "whsec_local", portal_configuration: id };
  vi.stubEnv("STRIPE_SECRET", JSON.stringify(stored));
  const opened: unknown[] = [];
  const own = money.platform().billing?.(() => 20_000) as Billing;
  const billing: Billing = (ask, key) =>
    own(async (stripe, options) => {
      const response = await ask(stripe, options);
      opened.push((response as { configuration?: unknown }).configuration);
      return response;
    }, key);
  expect(await money.call(createPortalSession, request(), money.platform({ billing: () => billing }))).toMatchObject({
    status: 201,
  });
  expect(opened).toEqual([id]);
  await money.stripe.billingPortal.configurations.update(id, { active: false });
});
