import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { apiVersion } from "./events.ts";
import { invalid } from "./failure.ts";
import { page, paging } from "./lists.ts";
import { find } from "./lookup.ts";
import { merged, metadata, text } from "./parameters.ts";

export const EndpointCreate = v.strictObject({
  url: text,
  enabled_events: v.array(text),
  api_version: v.optional(v.literal(apiVersion)),
  description: v.optional(v.string()),
  metadata: v.optional(metadata),
});
export const EndpointList = v.strictObject(paging);

/** Id of the endpoint that `sendTo` sets. Others are registered through the API. */
const ownId = "we_fake_control";

export const isOwn = (id: string): boolean => id === ownId;

export function create(account: Account, params: v.InferOutput<typeof EndpointCreate>): Stripe.WebhookEndpoint {
  const endpoint = endpointObject(account, {
    ...params,
    id: account.newId("we"),
    secret: account.newId("whsec"),
    metadata: merged(null, params.metadata),
  });
  account.put("webhook_endpoint", endpoint);
  return endpoint;
}

/** An endpoint for all events, and the secret that signs them. */
export type Webhook = { readonly url: string; readonly secret: string };

/** Sends all future events to this endpoint, and all events that have not been delivered yet. */
export function sendTo(account: Account, { url, secret }: Webhook): void {
  account.put("webhook_endpoint", endpointObject(account, { id: ownId, url, enabled_events: ["*"], secret }));
}

/** Lists endpoints without their secrets, which are returned only at creation. */
export function list(
  account: Account,
  params: v.InferOutput<typeof EndpointList>,
): Stripe.ApiList<Stripe.WebhookEndpoint> {
  const found = page(account, { kind: "webhook_endpoint", url: "/v1/webhook_endpoints", params, keep: () => true });
  return { ...found, data: found.data.map((endpoint) => ({ ...endpoint, secret: undefined })) };
}

/** Deletes an endpoint. Its undelivered events are dropped. */
export function remove(account: Account, id: string): Stripe.DeletedWebhookEndpoint {
  account.remove("webhook_endpoint", find(account, "webhook_endpoint", id).id);
  return { id, object: "webhook_endpoint", deleted: true };
}

type NewEndpoint = Partial<Stripe.WebhookEndpoint> & Pick<Stripe.WebhookEndpoint, "id" | "url" | "enabled_events">;

/** @throws ApiFailure if the URL is of another machine */
function endpointObject(account: Account, given: NewEndpoint): Stripe.WebhookEndpoint {
  if (!isLoopback(given.url)) throw invalid("The local Stripe sends events to this machine only.", { param: "url" });
  return {
    object: "webhook_endpoint",
    application: null,
    created: account.now(),
    description: null,
    livemode: false,
    metadata: {},
    status: "enabled",
    ...given,
    api_version: apiVersion,
  };
}

const isLoopback = (url: string) =>
  URL.canParse(url) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname);
