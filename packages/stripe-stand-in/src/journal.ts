import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Change, emptyState, type Kind, type State, type Tables } from "./core/state.ts";

export type Journal = {
  /** The state at the last start, with all transactions since that were written completely. */
  readonly state: State;
  /**
   * Writes the changes of a transaction to disk, all of them or none. Returns once they would survive the end of this
   * process.
   */
  readonly append: (changes: readonly Change[]) => void;
  readonly close: () => void;
};

/**
 * Opens the journal of a folder: the whole state, then a line with the changes of each transaction. The cost of a transaction
 * depends only on its changes, not on the size of the state.
 */
export function openJournal(folder: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "stripe.jsonl");
  const state = readState(file);
  const everything = Object.entries(state) as [Kind, Map<string, Tables[Kind]>][];
  const lines = everything.map(([kind, rows]) => line([...rows].map(([id, object]) => ({ kind, id, object }))));
  writeFileSync(`${file}.new`, lines.join(""));
  renameSync(`${file}.new`, file);

  const open = openSync(file, "a");
  return {
    state,
    append: (changes) => appendFileSync(open, line(changes)),
    close: () => closeSync(open),
  };
}

function readState(file: string): State {
  const state = emptyState();
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  // The last line is empty or incomplete. An incomplete transaction was never acknowledged.
  lines.pop();
  for (const { kind, id, object } of lines.flatMap((text) => JSON.parse(text) as Change[])) {
    const rows = state[kind] as Map<string, unknown>;
    if (object === null) rows.delete(id);
    else rows.set(id, object);
  }
  return state;
}

const line = (changes: readonly Change[]) => `${JSON.stringify(changes)}\n`;
