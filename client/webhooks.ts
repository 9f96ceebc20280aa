import type { Events } from "./schema.ts";

export type EventType = keyof Events;

/** An event. `type` decides which `data` it has. */
export type DomainEvent = Events[EventType];

/** An event of this type: `EventOf<"access.granted">`. */
export type EventOf<T extends EventType> = Events[T];

/** The signature of a webhook is missing or wrong, or the webhook is too old. Respond with 400 and ignore the body. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError";
}

/** Maximum difference between the timestamp of a webhook and the current time, in seconds. */
const toleranceSeconds = 5 * 60;

/** The headers of a request, from `fetch` or from Node (lower-case names). */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Verifies a webhook by the Standard Webhooks specification 1.0, and returns its event. The type may be
 * one that this version of the client does not know: ignore such events.
 *
 * @param body the body as it was received, before any parsing
 * @param secret the secret of the event destination, which starts with `whsec_`
 * @param now the current time
 * @throws WebhookVerificationError if a header is missing, the time is more than 5 minutes from `now`, or no signature
 * matches
 */
export async function verifyWebhook(
  body: string | Uint8Array<ArrayBuffer>,
  headers: WebhookHeaders,
  secret: string,
  now = new Date(),
): Promise<DomainEvent> {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookVerificationError("A webhook header is missing");
  const age = now.getTime() / 1000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : Number.NaN);
  if (!(Math.abs(age) <= toleranceSeconds)) throw new WebhookVerificationError("The time of the webhook is not now");

  const key = await importKey(secret);
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array([...new TextEncoder().encode(`${id}.${timestamp}.`), ...bytes]);
  for (const signature of signatures.split(" ")) {
    const given = signature.startsWith("v1,") ? fromBase64(signature.slice("v1,".length)) : undefined;
    // `verify` compares in constant time.
    if (given && (await crypto.subtle.verify("HMAC", key, given, signed)))
      return JSON.parse(new TextDecoder().decode(bytes)) as DomainEvent;
  }
  throw new WebhookVerificationError("No signature matches");
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value = headers[name];
  return typeof value === "string" ? value : value?.[0];
}

/** @throws WebhookVerificationError if it is not a secret */
async function importKey(secret: string): ReturnType<typeof crypto.subtle.importKey> {
  const bytes = fromBase64(secret.replace(/^whsec_/, ""));
  if (!bytes?.length) throw new WebhookVerificationError("The secret is not whsec_ followed by base64");
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** Decodes base64. Undefined for invalid base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
