import { compact } from "#lib/discovery/compaction.ts";
import { logInfo } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";
import { withLease } from "#lib/store/lease.ts";
import { connect, type Writer } from "#lib/store/table.ts";

const open = connect();
const lease = { name: "compact-directory", longestMs: 5 * 60_000 };

/** On a schedule: stores a snapshot of the directory, so that new execution environments load it fast. */
export async function handler(): Promise<void> {
  await compactAlone(open(), machine.now());
}

/**
 * Stores a snapshot of the directory if that makes loading it faster.
 *
 * @returns undefined while another run is in progress
 */
export const compactAlone = (table: Writer, now: Date, options?: Parameters<typeof compact>[2]) =>
  withLease(table, lease, async () => {
    const outcome = await compact(table, now, options);
    logInfo(`the directory is ${outcome}`);
    return outcome;
  });
