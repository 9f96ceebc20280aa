import type { Account } from "./account.ts";
import type { Delivery } from "./state.ts";

/** The deliveries that are still to be sent. */
export const waitingDeliveries = (account: Account): Delivery[] =>
  [...account.rows("delivery")].filter(({ outcome }) => outcome === "waiting");

/** Removes a completed delivery. Has no effect for a later duplicate. */
export function recordArrival(account: Account, { id, event: eventId }: Delivery): void {
  const event = account.get("event", eventId);
  if (!event || !account.get("delivery", id)) return;
  account.transact(() => {
    account.remove("delivery", id);
    account.put("event", { ...event, pending_webhooks: event.pending_webhooks - 1 });
  });
}

export function recordOutcome(account: Account, { id }: Delivery, outcome: Delivery["outcome"]): void {
  const delivery = account.get("delivery", id);
  if (delivery) account.transact(() => account.put("delivery", { ...delivery, outcome }));
}

/** Requeues abandoned deliveries. On request, also requeues dropped ones. */
export function requeue(account: Account, { dropped }: { readonly dropped: boolean }): void {
  const failed = [...account.rows("delivery")].filter(
    ({ outcome }) => outcome === "given_up" || (dropped && outcome === "dropped"),
  );
  if (failed.length === 0) return;
  account.transact(() => {
    for (const delivery of failed) account.put("delivery", { ...delivery, outcome: "waiting" });
  });
}
