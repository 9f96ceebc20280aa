import type Stripe from "stripe";
import { logError } from "../log.ts";
import { markHandled } from "../store/handled-events.ts";
import type { Link } from "../store/members/sync.ts";
import { beginTurn, endTurn, type SyncTurn, type SyncTurns, syncTurnsOf } from "../store/sync-turns.ts";
import { clockMargin } from "../values/clock-margin.ts";
import type { BillingContext } from "./context.ts";
import { syncMember } from "./sync.ts";

/** The arrival of an event: when Stripe created the event, in Unix seconds, and the customer's turns at that time. */
type Arrival = { readonly created: number; readonly turns: SyncTurns };

/**
 * Whether a successful synchronization read Stripe after an event was created, so that the event needs no
 * synchronization of its own (`docs/decisions/032-one-synchronization-for-many-events.md`). True if the synchronization
 * began after the event arrived, according to its turn number or to the clocks. `created` is in whole seconds, rounded
 * down.
 */
export const isCovered = ({ created, turns }: Arrival, { succeeded, asked_at }: SyncTurns): boolean =>
  succeeded > turns.begun || asked_at >= (created + 1) * 1000 + clockMargin;

/** How long an event waits for a running synchronization, in milliseconds. */
export const maxWaitMs = 8000;

/**
 * Synchronizes a customer for an event, unless another synchronization covers the event. Waits for a running
 * synchronization, so that a burst of events leads to two: one for the first event and one for all others.
 *
 * @param beforeAsking called before Stripe is called
 */
export async function syncForEvent(
  context: BillingContext,
  link: Link,
  { id, created }: Pick<Stripe.Event, "id" | "created">,
  beforeAsking: () => Promise<void>,
): Promise<void> {
  const { table } = context;
  const { now, random, wait } = table.runtime;
  const turns = await syncTurnsOf(table, link.customer_id);
  const end = now().getTime() + maxWaitMs;
  for (let latest = turns; ; latest = await syncTurnsOf(table, link.customer_id)) {
    if (isCovered({ created, turns }, latest)) return markHandled(table, id, context.now);
    const at = now().getTime();
    const turn = latest.running_until <= at ? await beginTurn(table, link.customer_id, latest) : undefined;
    if (turn) return syncInTurn(context, turn, beforeAsking, () => syncMember(context, link, { id }));
    if (at >= end) {
      await beforeAsking();
      return void (await syncMember(context, link, { id }));
    }
    await wait(100 + random() * 200);
  }
}

/** A synchronization that had nothing to store does not cover other events: Stripe may not have had their data yet. */
async function syncInTurn(
  { table }: BillingContext,
  turn: SyncTurn,
  beforeAsking: () => Promise<void>,
  sync: () => Promise<unknown>,
): Promise<void> {
  let hasSucceeded = false;
  try {
    await beforeAsking();
    hasSucceeded = (await sync()) !== undefined;
  } finally {
    await endTurn(table, turn, { hasSucceeded }).catch((error: unknown) => {
      logError(error instanceof Error ? error : new Error("The end of a synchronization turn was not stored"), {
        customer: turn.customer,
      });
    });
  }
}
