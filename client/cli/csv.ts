import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { parse } from "csv-parse";
import { csvLine, unguarded } from "#lib/domain/csv.ts";
import type { Column } from "./columns.ts";

/** A record of a file, with its line number. */
export type Row = { readonly line: number; readonly record: unknown; readonly error?: string };

const isCsv = (file: string): boolean => /\.csv$/i.test(file);

/** Reads the records of a file: CSV if its name ends in `.csv`, JSON Lines otherwise. An unreadable line has an `error`. */
export const readRows = (file: string, columns: readonly Column[]): AsyncGenerator<Row> =>
  isCsv(file) ? readCsv(file, columns) : readLines(file);

async function* readLines(file: string): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== "") yield rowOf(line, () => JSON.parse(text) as unknown);
  }
}

async function* readCsv(file: string, columns: readonly Column[]): AsyncGenerator<Row> {
  const parser = parse({ bom: true, columns: true, info: true, relax_column_count: true });
  // The parser throws read errors.
  pipeline(createReadStream(file), parser, () => {});
  for await (const { record, info } of parser as AsyncIterable<Parsed>)
    yield rowOf(info.lines, () => {
      if (info.error) throw info.error;
      return nested(record, columns);
    });
}

/** `error` is set if the row has more or fewer cells than the header. */
type Parsed = {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: Error };
};

function rowOf(line: number, read: () => unknown): Row {
  try {
    return { line, record: read() };
  } catch (error) {
    return { line, record: undefined, error: (error as Error).message };
  }
}

/** Omits empty cells. Keeps unknown columns, so that the record is refused with their names. */
function nested(flat: Readonly<Record<string, string>>, columns: readonly Column[]): object {
  const record: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(flat)) {
    if (cell === "") continue;
    const { path, as } = columns.find((column) => column.name === name) ?? { path: [name], as: "text" };
    let at = record;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ""] = as === "json" ? JSON.parse(unguarded(cell)) : unguarded(cell);
  }
  for (const { path, isKept } of columns) {
    const [first = "", last = ""] = path;
    const inner = record[first];
    if (isKept && typeof inner === "object" && inner !== null) Object.assign(inner, { [last]: "", ...inner });
  }
  return record;
}

/** Formats records as text: one line each, with a header line for CSV. */
export function writerOf(file: string | undefined, columns: readonly Column[]) {
  if (file === undefined || !isCsv(file))
    return { header: "", lineOf: (record: object) => `${JSON.stringify(record)}\n` };
  return {
    header: `${columns.map(({ name }) => name).join(",")}\r\n`,
    lineOf: (record: object) => csvLine(columns.map((column) => valueOf(record, column))),
  };
}

const valueOf = (record: object, { path }: Column): unknown =>
  path.reduce<unknown>((at, name) => (at as Record<string, unknown> | null | undefined)?.[name], record);
