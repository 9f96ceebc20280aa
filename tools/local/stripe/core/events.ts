import type Stripe from "stripe";
import type { Account } from "./account.ts";
import type { FakeEvent, Kind, Tables } from "./state.ts";

/** The version that the pinned client speaks, and this stand-in with it. */
export const apiVersion = "2026-10-28.endive" satisfies typeof Stripe.API_VERSION;

/** Stripe keeps events for 30 days. */
export const eventLifetime = 30 * 86_400;

/** Says that something happened to an object, and sends that to the endpoints that asked for it. */
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

/** Puts a new object there and says so. */
export function create<K extends Kind>(account: Account, kind: K, object: Tables[K], type: Stripe.Event.Type): void {
  account.put(kind, object);
  emit(account, type, object);
}

/** Puts another state of an object in its place, and says what has changed; where nothing has, nothing is said. */
export function replace<K extends Kind>(account: Account, kind: K, object: Tables[K], type: Stripe.Event.Type): void {
  const previous = differences(account.get(kind, object.id) ?? {}, object);
  if (!previous) return;
  account.put(kind, object);
  emit(account, type, object, previous);
}

/** What was there of the properties that differ: of objects only the parts that do, of lists all. */
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
