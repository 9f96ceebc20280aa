import { Webhook } from "standardwebhooks";
import type { StoredDestination } from "../store/destinations.ts";
import type { Sealing } from "./sealing.ts";
import { purposeOf } from "./secret.ts";

/**
 * The headers of an attempt by Standard Webhooks 1.0, with a signature for each valid secret. The previous secret is left
 * out if its encryption key has been replaced.
 *
 * @throws Error if the current secret cannot be decrypted
 */
export function signedHeaders(
  { id, secret, previous }: Pick<StoredDestination, "id" | "secret" | "previous">,
  { eventId, body, at }: { readonly eventId: string; readonly body: string; readonly at: Date },
  { open }: Sealing,
): Record<string, string> {
  const purpose = purposeOf(id);
  const secrets = [open(secret, purpose)];
  if (previous && at < new Date(previous.until))
    secrets.push(...openedIfPossible(() => open(previous.secret, purpose)));
  const signatures = secrets.map((one) => new Webhook(one).sign(eventId, at, body));
  return {
    "content-type": "application/json",
    "user-agent": "Odis-Events/1",
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": signatures.join(" "),
  };
}

function openedIfPossible(open: () => string): string[] {
  try {
    return [open()];
  } catch {
    return [];
  }
}
