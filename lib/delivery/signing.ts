import { Webhook } from "standardwebhooks";
import type { StoredDestination } from "../store/destinations.ts";
import type { Sealing } from "./sealing.ts";
import { purposeOf } from "./secret.ts";

/** The headers of one attempt by Standard Webhooks 1.0: one signature for each secret that is valid. */
export function signedHeaders(
  { id, secret, previous }: Pick<StoredDestination, "id" | "secret" | "previous">,
  { eventId, body, at }: { readonly eventId: string; readonly body: string; readonly at: Date },
  { open }: Sealing,
): Record<string, string> {
  const sealed = [secret, ...(previous && at < new Date(previous.until) ? [previous.secret] : [])];
  const signatures = sealed.map((one) => new Webhook(open(one, purposeOf(id))).sign(eventId, at, body));
  return {
    "content-type": "application/json",
    "user-agent": "Odis-Events/1",
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}
