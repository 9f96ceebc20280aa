import type Stripe from "stripe";
import type { Account } from "./account.ts";
import type { FakeEvent, Kind, Tables } from "./state.ts";

/** The API version of the stand-in: that of the pinned client. */
export const apiVersion = "2026-10-28.endive" satisfies typeof Stripe.API_VERSION;

/** Stripe keeps events for 30 days. In seconds. */
export const eventLifetime = 30 * 86_400;

/** Creates an event about an object, and queues it for the endpoints that listen to its type. */
export function emit(account: Account, type: Stripe.Event.Type, object: object, previous?: object): void {
  const wanted = [...account.rows("webhook_endpoint")].filter(({ enabled_events: types }) => {
    return types.includes("*") || types.includes(type);
  });
  const cause = account.cause();
  const event: FakeEvent = {
    id: account.newId("evt"),
    object: "event",
    api_version: apiVersion,
    created: account.now(),
    data: { object, ...(previous && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: wanted.length,
    request: { id: cause?.requestId ?? null, idempotency_key: cause?.idempotencyKey ?? null },
    type,
  };
  account.put("event", event);
  for (const endpoint of wanted) {
    account.put("delivery", {
      id: `${event.id} ${endpoint.id}`,
      event: event.id,
      endpoint: endpoint.id,
      outcome: "waiting",
    });
  }
}

/** Stores a new object, with an event. */
export function create<K extends Kind>(account: Account, kind: K, object: Tables[K], type: Stripe.Event.Type): void {
  account.put(kind, object);
  emit(account, type, object);
}

/** Stores a changed object, with an event that says what has changed. Without a change there is no event. */
export function replace<K extends Kind>(account: Account, kind: K, object: Tables[K], type: Stripe.Event.Type): void {
  const previous = differences(account.get(kind, object.id) ?? {}, object);
  if (!previous) return;
  account.put(kind, object);
  emit(account, type, object, previous);
}

/**
 * Returns the previous values of the changed properties. For objects, only the changed properties inside them. For
 * lists, the complete list.
 */
function differences(before: object, after: object): Record<string, unknown> | undefined {
  const [old, current] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const found: Record<string, unknown> = {};
  for (const key of new Set([...old.keys(), ...current.keys()])) {
    const [was, is]: unknown[] = [old.get(key), current.get(key)];
    if (was === is) continue;
    if (isPlain(was) && isPlain(is)) {
      const inner = differences(was, is);
      if (inner) found[key] = inner;
    } else if (JSON.stringify(was) !== JSON.stringify(is)) found[key] = was ?? null;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}

const isPlain = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
