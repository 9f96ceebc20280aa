import * as v from "valibot";
import { Conflict } from "./failure.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/**
 * The numbered synchronizations of a Stripe customer that events have caused. One runs at a time, unless it takes longer
 * than {@link longestTurn}. Overlapping synchronizations only cost more requests to Stripe.
 */
const SyncTurns = v.object({
  /** Number of the latest synchronization that has begun. */
  begun: v.number(),
  /** Latest possible end of that synchronization, in milliseconds since 1970. 0 once it has ended. */
  running_until: v.number(),
  /** Number of the latest synchronization that has succeeded. */
  succeeded: v.optional(v.number(), 0),
  /** Time before that synchronization read Stripe, by the clock of its function, in milliseconds since 1970. */
  asked_at: v.optional(v.number(), 0),
});
export type SyncTurns = v.InferOutput<typeof SyncTurns>;

/** The turn of one synchronization. */
export type SyncTurn = { readonly customer: string; readonly number: number; readonly asked_at: number };

const none: SyncTurns = { begun: 0, running_until: 0, succeeded: 0, asked_at: 0 };

/** Time after which a synchronization is considered crashed, in milliseconds. */
const longestTurn = 20_000;

export async function syncTurnsOf(table: Reader, customer: string): Promise<SyncTurns> {
  const item = await table.get(keys.syncTurns(customer));
  return item ? v.parse(SyncTurns, item) : none;
}

/** Begins the next turn. Undefined if another synchronization has begun it. */
export async function beginTurn(table: Writer, customer: string, { begun }: SyncTurns): Promise<SyncTurn | undefined> {
  const asked_at = table.runtime.now().getTime();
  const number = begun + 1;
  const set = { begun: number, running_until: asked_at + longestTurn };
  const when = begun === 0 ? "absent" : { is: { begun } };
  return write(table, [{ update: keys.syncTurns(customer), set, when }]).then(
    () => ({ customer, number, asked_at }),
    (error: unknown) => {
      if (!(error instanceof Conflict)) throw error;
      return undefined;
    },
  );
}

/** Ends a turn, unless another has begun since. */
export async function endTurn(
  table: Writer,
  { customer, number, asked_at }: SyncTurn,
  { hasSucceeded }: { readonly hasSucceeded: boolean },
): Promise<void> {
  const set = { running_until: 0, ...(hasSucceeded && { succeeded: number, asked_at }) };
  const when = { is: { begun: number } };
  await write(table, [{ update: keys.syncTurns(customer), set, when }]).catch((error: unknown) => {
    if (!(error instanceof Conflict)) throw error;
  });
}
