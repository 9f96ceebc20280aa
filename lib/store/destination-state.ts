import { isDeepStrictEqual } from "node:util";
import type { DisabledReason, destinationFields, Failures } from "../fields/destination.ts";
import type { SetBy } from "../fields/field.ts";
import { pick } from "../pick.ts";
import { appendSystemEntry } from "./activity.ts";
import { keyOf, recordOf, type StoredDestination } from "./destinations.ts";
import { Conflict } from "./failure.ts";
import type { Writer } from "./table.ts";
import { timeOver, write } from "./write.ts";

// Deliveries change a destination with these functions, which never overwrite a later edit.

/** Stores that an attempt succeeded. */
export const noteSuccess = (table: Writer, destination: StoredDestination, at: Date): Promise<void> =>
  note(table, destination, { last_success_at: at.toISOString(), failing_since: null, failures: undefined });

/** Stores that the destination responds slowly. */
export const noteSlow = (table: Writer, destination: StoredDestination, until: Date): Promise<void> =>
  note(table, destination, { slow_until: until.toISOString() });

/** Stores since when attempts fail and the share of failed deliveries, if they differ from what is stored. */
export async function noteFailure(
  table: Writer,
  destination: StoredDestination,
  state: Required<Pick<StoredDestination, "failing_since" | "failures">>,
): Promise<void> {
  if (destination.failing_since === null || !isDeepStrictEqual(state.failures, destination.failures))
    // A success since the destination was read has reset the count.
    await note(table, destination, state, pick(destination, ["last_success_at"]));
}

/**
 * Disables a destination, with an entry in the activity. Does nothing if it has been edited since it was read, or if the
 * reason is `failing` and an attempt has succeeded since. The next attempt decides again.
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

/** Does nothing if the destination was deleted or re-enabled since it was read, or if `when` does not hold. */
const note = (
  table: Writer,
  destination: StoredDestination,
  set: Partial<Pick<StoredDestination, SetBy<typeof destinationFields, "attempt">>>,
  when: Partial<StoredDestination> = {},
): Promise<void> =>
  write(table, [
    { update: keyOf(destination), set, when: { is: { enabled_at: destination.enabled_at, ...when } } },
  ]).catch(ignoreConflict);

function ignoreConflict(error: unknown): void {
  if (!(error instanceof Conflict)) throw error;
}
