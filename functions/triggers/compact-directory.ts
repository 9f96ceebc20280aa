import { compact } from "#lib/discovery/compaction.ts";
import { machine } from "#lib/runtime.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/** On a schedule: keeps the directory in a form that a new execution environment loads fast, however large it is. */
export async function handler(): Promise<void> {
  const result = await compact(open(), machine.now());
  console.log(JSON.stringify({ level: "info", message: `the directory is ${result}` }));
}
