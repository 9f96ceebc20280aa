import { compact } from "#lib/discovery/compaction.ts";
import { logInfo } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";
import { withLease } from "#lib/store/lease.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();
const lease = { name: "compact-directory", longestMs: 5 * 60_000 };

/**
 * On a schedule: stores a snapshot of the directory, so that new execution environments load it fast. Does nothing while
 * another run is in progress.
 */
export async function handler(): Promise<void> {
  const table = open();
  await withLease(table, lease, async () => logInfo(`the directory is ${await compact(table, machine.now())}`));
}
