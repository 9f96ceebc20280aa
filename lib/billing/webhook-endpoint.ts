import Stripe from "stripe";
import { eventTypes } from "./events.ts";

/** By this, Stripe's dashboard shows the endpoints of Odis. */
const description = "Odis";

export type Registration =
  /** The secret of the endpoint. Stripe returns it only when the endpoint is created. */
  | { readonly outcome: "created"; readonly id: string; readonly secret: string; readonly removed: readonly string[] }
  | { readonly outcome: "unchanged"; readonly id: string }
  /** The endpoint with this URL differs from the required one. It is not changed. */
  | { readonly outcome: "differs"; readonly id: string; readonly differences: readonly string[] };

type RegistrationOptions = {
  /** Whether to replace an existing endpoint with a new one, which has a new secret. */
  readonly replace?: boolean;
  /** Stores the new secret and the id of its endpoint. The replaced endpoints are removed after this call. */
  readonly storeSecret: (secret: string, endpoint: string) => Promise<void>;
};

/** Registers a URL at Stripe for the events that `handleEvent` handles, in the API version of the client. */
export async function registerWebhook(
  stripe: Stripe,
  url: string,
  { replace = false, storeSecret }: RegistrationOptions,
): Promise<Registration> {
  const existing = await endpointsAt(stripe, url);
  const [first] = existing;
  if (first && !replace) {
    const differences = differencesOf(first);
    return differences.length === 0
      ? { outcome: "unchanged", id: first.id }
      : { outcome: "differs", id: first.id, differences };
  }
  const { id, secret } = await stripe.webhookEndpoints.create({
    url,
    enabled_events: [...eventTypes],
    api_version: Stripe.API_VERSION,
    description,
  });
  if (secret === undefined) throw new Error("Stripe returned no signing secret");
  await storeSecret(secret, id);
  for (const old of existing) await remove(stripe, old.id);
  return { outcome: "created", id, secret, removed: existing.map((old) => old.id) };
}

/** Removes the endpoints at a URL. @returns their ids */
export async function unregisterWebhook(stripe: Stripe, url: string): Promise<readonly string[]> {
  const ids = (await endpointsAt(stripe, url)).map(({ id }) => id);
  for (const id of ids) await remove(stripe, id);
  return ids;
}

/** Removes an endpoint. Idempotent: if a response is lost, Stripe's client repeats the DELETE, which Stripe then refuses. */
async function remove(stripe: Stripe, id: string): Promise<void> {
  await stripe.webhookEndpoints.del(id).catch((error: unknown) => {
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError && error.code === "resource_missing")) throw error;
  });
}

const endpointsOf = (stripe: Stripe): Promise<Stripe.WebhookEndpoint[]> =>
  stripe.webhookEndpoints.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });

const endpointsAt = async (stripe: Stripe, url: string): Promise<Stripe.WebhookEndpoint[]> =>
  (await endpointsOf(stripe)).filter((endpoint) => endpoint.url === url);

/** The URLs of Odis's endpoints at other addresses: of other stages, or former ones of this stage. */
export async function otherWebhooks(stripe: Stripe, url: string): Promise<readonly string[]> {
  const others = (await endpointsOf(stripe)).filter((one) => one.description === description && one.url !== url);
  return others.map((one) => one.url);
}

/** Finds the endpoint with this URL and how it differs from the required one. Undefined if there is none. */
export async function findWebhook(
  stripe: Stripe,
  url: string,
): Promise<{ readonly id: string; readonly differences: readonly string[] } | undefined> {
  const [first, ...others] = await endpointsAt(stripe, url);
  if (!first) return undefined;
  return {
    id: first.id,
    differences: [...differencesOf(first), ...others.map(({ id }) => `${id} is at the same address`)],
  };
}

function differencesOf({ api_version, enabled_events, status }: Stripe.WebhookEndpoint): string[] {
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
