import type Stripe from "stripe";
import { missingPermissions, permissions } from "#lib/billing/permissions.ts";
import { findPortal } from "#lib/billing/portal-configuration.ts";
import { clientOf } from "#lib/billing/stripe.ts";
import { findWebhook } from "#lib/billing/webhook-endpoint.ts";
import type { StripeSecret } from "#lib/secrets.ts";
import { lateMethods } from "./late-methods.ts";
import { wrongOfReadingKey } from "./reading-key.ts";

type Checked = {
  readonly stripe: Stripe;
  readonly stored: StripeSecret | undefined;
  /** The key of the routes that only read. */
  readonly storedReading: string | undefined;
  /** Where the webhook of the stack is. */
  readonly url: string;
  readonly apiBase: string | undefined;
};

/** What the API of Stripe does not show, so that the operator has to look at it. */
const lookAt = [
  "Billing > Revenue recovery > Retries: after the last failed retry, subscriptions are canceled, paused or marked unpaid. If they are left past due, members keep access forever",
  "Settings > Emails: receipts, failed payments, expiring cards and payments that need confirmation are sent by Stripe",
  "Settings > Tax: Odis does not calculate taxes. Prices are what people pay",
  "Settings > Branding and public details: what people see on Stripe's pages and on their statements",
] as const;

const methods = "Settings > Payment methods: methods that settle days later give access before the money has arrived";

/** What an operator has to look at in the dashboard, with the methods that settle late, where the key shows them. */
export async function toLookAt(stripe: Stripe): Promise<string[]> {
  const late = await lateMethods(stripe);
  if (late?.length === 0) return [...lookAt];
  return [`${methods} (${late ? `on: ${late.join(", ")}` : "bank debits"})`, ...lookAt];
}

/** What is wrong with the set-up of an account and of the secret, as sentences; nothing is changed. */
export async function findWrong({ stripe, stored, storedReading, url, apiBase }: Checked): Promise<string[]> {
  const wrong: string[] = [];
  const webhook = await findWebhook(stripe, url);
  if (!webhook) wrong.push(`Webhook: there is no endpoint for ${url}`);
  for (const one of webhook?.wrong ?? []) wrong.push(`Webhook ${webhook?.id}: ${one}`);

  const portal = await findPortal(stripe);
  if (!portal) wrong.push("Portal: there is no configuration for Odis");
  for (const one of portal?.wrong ?? []) wrong.push(`Portal ${portal?.id}: ${one}`);

  if (storedReading === undefined) wrong.push("Read-only key: none is stored");
  else for (const one of await wrongOfReadingKey(storedReading, apiBase)) wrong.push(`Reading key: ${one}`);

  if (!stored) return [...wrong, "Secret: nothing is stored"];
  if (portal && stored.portal_configuration !== portal.id)
    wrong.push(`Secret: its portal_configuration is not ${portal.id}`);
  const missing = await missingPermissions(clientOf(stored, apiBase), permissions.write);
  return [...wrong, ...missing.map((permission) => `Key: it lacks ${permission}`)];
}
