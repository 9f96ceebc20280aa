import { type LocalStripe, startStripe } from "stripe-stand-in/server";
import { afterAll } from "vitest";
import { registerPortal } from "#lib/billing/portal-configuration.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import type { Mount } from "#lib/http/handler.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";
import { identify } from "./direct.ts";
import { eventDelivery, webhookSecret } from "./money/delivery.ts";
import { faultInjection } from "./money/faults.ts";
import { callsOn } from "./money/handlers.ts";
import { outsideOf } from "./money/outside.ts";
import { origin, people } from "./money/people.ts";
import { type StandIn, stripeAt } from "./money/stripe.ts";
import { mountOn } from "./mount.ts";
import { setUp } from "./set-up.ts";
import { openTable } from "./table.ts";

/**
 * A table and a stand-in for Stripe, with handlers in this process, so that a test can make any of their calls fail.
 */
export async function openMoney<Started extends StandIn>(
  startStandIn: () => Promise<Started>,
  { stream = false } = {},
) {
  process.env.REDIRECT_ORIGINS = origin;
  const opened = await openTable("odis-money", { stream });
  const { name, client, table } = opened;
  const standIn = await startStandIn();
  const { through, withFault } = faultInjection();
  client.middlewareStack.add((next) => (args) => through(() => next(args)), { step: "initialize" });
  const { stripe, ...atStripe } = stripeAt(standIn);
  const { id: portal_configuration } = await registerPortal(stripe);
  const secret = { secret_key: "sk_test_local", webhook_secret: webhookSecret, portal_configuration };
  process.env.STRIPE_SECRET = JSON.stringify(secret);
  const faulty =
    (billing: Billing): Billing =>
    (ask, key) =>
      through(() => billing(ask, key));

  const platform = (over: Partial<Mount> = {}): Mount =>
    mountOn({
      table: connect(client, name, { ...machine, ...over }),
      identify,
      billing: (left) => faulty(billingOf(async () => stripe)(left)),
      ...over,
    });
  const outside = outsideOf(through);
  const delivery = eventDelivery({ table, stripe, platform, ...outside });

  return {
    name,
    table,
    client,
    stripe,
    standIn,
    platform,
    withFault,
    ...atStripe,
    ...delivery,
    ...outside,
    ...callsOn(platform),
    ...people({ table, stripe, platform, complete: atStripe.complete, deliverAll: delivery.deliverAll }),
    async close(): Promise<void> {
      await standIn.close();
      await opened.close();
    },
  };
}

export type Money<Started extends StandIn = StandIn> = Awaited<ReturnType<typeof openMoney<Started>>>;
export type LocalMoney = Money<LocalStripe>;

/** The same for the hooks and tests of a test file. */
export function startMoney(options: { readonly stream?: boolean } = {}): LocalMoney {
  const money = setUp(() => openMoney(startStripe, options));
  afterAll(() => money.close());
  return money;
}
