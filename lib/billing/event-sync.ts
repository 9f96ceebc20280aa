import type Stripe from "stripe";
import { logError } from "../log.ts";
import { type Link, markHandled } from "../store/members/sync.ts";
import { beginTurn, endTurn, type SyncTurn, type SyncTurns, syncTurnsOf } from "../store/sync-turns.ts";
import { clockMargin } from "./clock-margin.ts";
import type { BillingContext } from "./context.ts";
import { syncMember } from "./sync.ts";

/** An event on arrival: when Stripe created it, in seconds since 1970, and the newest number of a synchronization. */
type Arrival = { readonly created: number; readonly turns: SyncTurns };

/**
 * Whether a synchronization that succeeded asked Stripe after an event was made, so that the event needs none
 * (`docs/decisions/032-one-synchronization-for-many-events.md`). Either it began after the event had arrived, which the
 * numbers of the turns say whatever the clocks are, or the clocks say so. `created` has whole seconds, rounded down.
 */
export const isCovered = ({ created, turns }: Arrival, { succeeded, asked_at }: SyncTurns): boolean =>
  succeeded > turns.begun || asked_at >= (created + 1) * 1000 + clockMargin;

/** How long an event waits for a synchronization that is running, in milliseconds. */
const patience = 8000;

/**
 * Synchronizes a customer for an event, unless another synchronization covers it. While one is running, an event waits,
 * so that several that come together lead to two synchronizations: the one of the first, and one for all others.
 *
 * @param beforeAsking called before Stripe is asked
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
  const end = now().getTime() + patience;
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

/** A synchronization that finds nothing to store covers no other event: the data may not have been at Stripe yet. */
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
      logError(error instanceof Error ? error : new Error("A turn was not ended"), { customer: turn.customer });
    });
  }
}
