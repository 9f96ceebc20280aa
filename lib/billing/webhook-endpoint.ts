import Stripe from "stripe";
import { eventTypes } from "./events.ts";

export type Registration =
  /** Stripe returns the secret only when the endpoint is created. */
  | { readonly outcome: "made"; readonly id: string; readonly secret: string; readonly removed: readonly string[] }
  | { readonly outcome: "there"; readonly id: string }
  /** There is one at this address that is not as it must be. */
  | { readonly outcome: "differs"; readonly id: string; readonly wrong: readonly string[] };

type Options = {
  /** Makes a new one, with a new secret, in the place of any that is there. */
  readonly replace?: boolean;
  /** Keeps a new secret; the endpoints that it replaces are removed after that. */
  readonly keep: (secret: string) => Promise<void>;
};

/** Has Stripe send to this address the events that `handleEvent` handles, in the version that the client speaks. */
export async function registerWebhook(
  stripe: Stripe,
  url: string,
  { replace = false, keep }: Options,
): Promise<Registration> {
  const there = await endpointsAt(stripe, url);
  const [first] = there;
  if (first && !replace) {
    const wrong = differences(first);
    return wrong.length === 0 ? { outcome: "there", id: first.id } : { outcome: "differs", id: first.id, wrong };
  }
  const { id, secret } = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...eventTypes],
    api_version: Stripe.API_VERSION,
    description: "Odis",
  });
  if (secret === undefined) throw new Error("Stripe returned no signing secret");
  await keep(secret);
  for (const old of there) await remove(stripe, old.id);
  return { outcome: "made", id, secret, removed: there.map((old) => old.id) };
}

/** Removes an endpoint. Idempotent: Stripe's client repeats a DELETE whose answer was lost, and Stripe refuses that. */
async function remove(stripe: Stripe, id: string): Promise<void> {
  await stripe.webhookEndpoints.del(id).catch((error: unknown) => {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing")) throw error;
  });
}

async function endpointsAt(stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> {
  const all = await stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
  return all.filter((endpoint) => endpoint.url === url);
}

/** Returns the endpoint with this URL and what is wrong with it. Undefined if there is none. */
export async function findWebhook(
  stripe: Stripe,
  url: string,
): Promise<{ readonly id: string; readonly wrong: readonly string[] } | undefined> {
  const [first, ...others] = await endpointsAt(stripe, url);
  if (!first) return undefined;
  return { id: first.id, wrong: [...differences(first), ...others.map(({ id }) => `${id} is at the same address`)] };
}

function differences({ api_version, enabled_events, status }: Stripe.WebhookEndpoint): string[] {
  const handled: readonly string[] = eventTypes;
  const missing = handled.filter((type) => !enabled_events.includes(type) && !enabled_events.includes("*"));
  const others = enabled_events.filter((type) => !handled.includes(type));
  return [
    ...(api_version === Stripe.API_VERSION ? [] : [`its version is ${api_version}, not ${Stripe.API_VERSION}`]),
    ...missing.map((type) => `it is not sent ${type}`),
    ...others.map((type) => `it is sent ${type}, which nothing here handles`),
    ...(status === "enabled" ? [] : [`it is ${status}`]),
  ];
}
