import { machine } from "../../../lib/runtime.ts";
import { documents, type OpenTable } from "../../../lib/store/table.ts";
import { answering } from "./recording.ts";

export { documents };

/** A table with only the responses in its environment variable. */
export function connect(): OpenTable {
  const client = documents();
  const answers = new Map(JSON.parse(process.env.TABLE_ANSWERS ?? "[]") as [string, unknown][]);
  const table = answering({ get: none, getAll: none, query: none }, answers);
  return () => ({ ...table, count: none, name: "", runtime: machine, signal: undefined, client });
}

const none = (): Promise<never> => Promise.resolve(undefined as never);
