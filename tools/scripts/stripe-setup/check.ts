import type Stripe from "stripe";
import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { findPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { findWebhook, otherWebhooks } from "#lib/billing/webhook-endpoint.ts";
import type { StripeSecret } from "#lib/secrets.ts";
import { accountProblems, keysOf } from "./account.ts";
import { lateMethods } from "./late-methods.ts";
import { readingKeyProblems } from "./reading-key.ts";
import { isOfAnotherEndpoint } from "./register.ts";

type StripeSetup = {
  /** A key that may read the webhook endpoints. */
  readonly key: string;
  readonly stored: StripeSecret | undefined;
  /** The stored key of the routes that only read. */
  readonly readingKey: string | undefined;
  /** URL of the stack's webhook. */
  readonly url: string;
  readonly apiBase: string | undefined;
};

/** The webhook of a stage, at its present address. */
type WebhookOfStage = { readonly url: string; readonly stage: string };

/** Settings that Stripe's API does not return, so that the operator must check them in the dashboard. */
const dashboardSettings = [
  "Billing > Revenue recovery > Retries: after the last failed retry, subscriptions are canceled, paused or marked unpaid. If they are left past due, members keep access forever",
  "Settings > Emails: receipts, failed payments, expiring cards and payments that need confirmation are sent by Stripe",
  "Settings > Tax: Odis does not calculate taxes. Prices are what people pay",
  "Settings > Checkout and Payment Links: customers are not limited to one subscription. Otherwise, members of a free tier without a card cannot change to a paid one",
  "Settings > Branding and public details: what people see on Stripe's pages and on their statements",
] as const;

const paymentMethodsSetting =
  "Settings > Payment methods: methods that settle days later give access before the money has arrived";

/**
 * The settings that an operator must check in the dashboard. Lists the active payment methods that settle days later if the
 * key may read them.
 */
export async function manualChecks(stripe: Stripe, webhook: WebhookOfStage): Promise<string[]> {
  const late = await lateMethods(stripe);
  const others = await otherEndpoints(stripe, webhook);
  if (late?.length === 0) return [...others, ...dashboardSettings];
  const methods = `${paymentMethodsSetting} (${late ? `on: ${late.join(", ")}` : "bank debits"})`;
  return [...others, methods, ...dashboardSettings];
}

/** A sentence for each endpoint of Odis at another address, and the command that removes it. */
export const otherEndpoints = async (stripe: Stripe, { url, stage }: WebhookOfStage): Promise<string[]> =>
  (await otherWebhooks(stripe, url)).map(
    (other) =>
      `Developers > Webhooks: Stripe also sends events to ${other}. If this is a former address of the stage, they are refused. Run: STRIPE_SECRET_KEY=sk_… npm run stripe:setup -- --stage ${stage} --remove --api-url ${other.replace(/\/webhooks\/stripe$/, "")}`,
  );

/** Returns the problems of the Stripe account and the stored secrets, one sentence each. Changes nothing. */
export async function findSetupProblems({ key, stored, readingKey, url, apiBase }: StripeSetup): Promise<string[]> {
  const setupProblems = await accountProblems(keysOf(stored, { key, readingKey }), apiBase);
  if (setupProblems.length > 0) return setupProblems;
  const stripe = clientOf({ secret_key: key }, apiBase);
  const webhook = await findWebhook(stripe, url);
  if (!webhook) setupProblems.push(`Webhook: there is no endpoint for ${url}`);
  for (const difference of webhook?.differences ?? []) setupProblems.push(`Webhook ${webhook?.id}: ${difference}`);

  const portal = await findPortal(stripe);
  if (!portal) setupProblems.push("Portal: there is no configuration for Odis");
  for (const difference of portal?.differences ?? []) setupProblems.push(`Portal ${portal?.id}: ${difference}`);

  if (readingKey === undefined) setupProblems.push("Read-only key: none is stored");
  else
    for (const problem of await readingKeyProblems(readingKey, apiBase)) setupProblems.push(`Reading key: ${problem}`);

  if (!stored) return [...setupProblems, "Secret: nothing is stored"];
  if (webhook?.differences.length === 0 && isOfAnotherEndpoint(stored, webhook.id))
    setupProblems.push(`Webhook ${webhook.id}: its signing secret is not stored`);
  if (portal && stored.portal_configuration !== portal.id)
    setupProblems.push(`Secret: its portal_configuration is not ${portal.id}`);
  const missing = await missingPermissions(clientOf(stored, apiBase), permissions.write);
  return [...setupProblems, ...missing.map((permission) => `Key: it lacks ${permission}`)];
}
