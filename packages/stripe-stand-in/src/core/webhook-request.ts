import { createHmac } from "node:crypto";
import type Stripe from "stripe";
import type { FakeEvent } from "./state.ts";

/** A signed event for an endpoint: an HTTP POST. */
export type WebhookRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** @param seconds time of sending, in seconds since 1970 */
export function webhookRequest(event: FakeEvent, endpoint: Stripe.WebhookEndpoint, seconds: number): WebhookRequest {
  const body = JSON.stringify(event);
  return {
    url: endpoint.url,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": signature(body, endpoint.secret ?? "", seconds),
      "user-agent": "Stripe/1.0 (local stand-in)",
    },
    body,
  };
}

/** @see https://docs.stripe.com/webhooks#verify-manually */
function signature(body: string, secret: string, seconds: number): string {
  return `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
}
