import { isDeepStrictEqual } from "node:util";
import type { Failures } from "../domain/delivery.ts";
import type { DisabledReason } from "../domain/destination.ts";
import { pick } from "../pick.ts";
import { appendSystemEntry } from "./activity.ts";
import { keyOf, recordOf, type StoredDestination } from "./destinations.ts";
import { Conflict } from "./failure.ts";
import type { Writer } from "./table.ts";
import { timeOver, write } from "./write.ts";

// What deliveries change of a destination. None of it happens over an edit that came since.

/** Notes that an attempt succeeded. */
export const noteSuccess = (table: Writer, destination: StoredDestination, at: Date): Promise<void> =>
  note(table, destination, { last_success_at: at.toISOString(), failing_since: null, failures: undefined });

/** Notes that answers are slow. */
export const noteSlow = (table: Writer, destination: StoredDestination, until: Date): Promise<void> =>
  note(table, destination, { slow_until: until.toISOString() });

/** Notes since when attempts fail, and how many of how many deliveries, unless that has been noted. */
export async function noteFailure(
  table: Writer,
  destination: StoredDestination,
  state: Required<Pick<StoredDestination, "failing_since" | "failures">>,
): Promise<void> {
  if (destination.failing_since === null || !isDeepStrictEqual(state.failures, destination.failures))
    // A success since then has ended the count.
    await note(table, destination, state, pick(destination, ["last_success_at"]));
}

/**
 * Disables a destination, with an entry in the activity. If it has been edited since it was read, or is failing and an
 * attempt has succeeded since, nothing happens: the next attempt decides again.
 */
export async function disable(
  table: Writer,
  destination: StoredDestination,
  { reason, now, ...state }: { reason: DisabledReason; now: Date; failing_since?: string; failures?: Failures },
): Promise<void> {
  const at = timeOver(destination, now);
  const { version, community_id } = destination;
  const disabled = { status: "disabled" as const, disabled_reason: reason };
  const set = { ...disabled, ...state, updated_at: at.toISOString(), version: version + 1 };
  const unchanged = pick(destination, reason === "failing" ? ["version", "last_success_at"] : ["version"]);
  await write(table, [
    { update: keyOf(destination), set, when: { is: unchanged } },
    appendSystemEntry(
      table,
      community_id,
      {
        record: recordOf(destination),
        action: "edited",
        before: pick(destination, ["status", "disabled_reason"]),
        after: disabled,
      },
      at,
    ),
  ]).catch(ignoreConflict);
}

/** Not over a destination that was deleted or enabled anew since, nor where `when` has changed. */
const note = (
  table: Writer,
  destination: StoredDestination,
  set: Partial<StoredDestination>,
  when: Partial<StoredDestination> = {},
): Promise<void> =>
  write(table, [
    { update: keyOf(destination), set, when: { is: { enabled_at: destination.enabled_at, ...when } } },
  ]).catch(ignoreConflict);

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
