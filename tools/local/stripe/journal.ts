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
  /** Returns once the changes, all or none of them, would be found again after this process was killed. */
  readonly append: (changes: readonly Change[]) => void;
  readonly close: () => void;
};

const fileIn = (folder: string) => join(folder, "stripe.jsonl");

/** What a folder holds, as it was after the last change that was kept whole. */
export function readState(folder: string): State {
  const file = fileIn(folder);
  const state = emptyState();
  const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
  // Either empty or torn: what was never finished was never acknowledged.
  lines.pop();
  for (const { kind, id, object } of lines.flatMap((text) => JSON.parse(text) as Change[])) {
    const rows = state[kind] as Map<string, unknown>;
    if (object === null) rows.delete(id);
    else rows.set(id, object);
  }
  return state;
}

/**
 * Keeps a state in a folder: at first all of it, then line by line what each call changes, so that keeping it costs
 * what the change costs and not what there is.
 */
export function openJournal(folder: string, state: State): Journal {
  mkdirSync(folder, { recursive: true });
  const file = fileIn(folder);
  const everything = Object.entries(state) as [Kind, Map<string, Tables[Kind]>][];
  const lines = everything.map(([kind, rows]) => line([...rows].map(([id, object]) => ({ kind, id, object }))));
  writeFileSync(`${file}.new`, lines.join(""));
  renameSync(`${file}.new`, file);

  const open = openSync(file, "a");
  return {
    append: (changes) => appendFileSync(open, line(changes)),
    close: () => closeSync(open),
  };
}

const line = (changes: readonly Change[]) => `${JSON.stringify(changes)}\n`;
