import { createReadStream } from "node:fs";
import { pipeline } from "node:stream";
import { TextDecoder } from "node:util";
import { CsvError, parse } from "csv-parse";
import * as v from "valibot";
import { csvLine, separatorOf, unguarded } from "#lib/domain/csv.ts";
import type { Column } from "./columns.ts";
import { UsageError } from "./failures.ts";

/** A record of a file, with its line number. An unreadable line has an `error` and its `text` instead. */
export type Row = Partial<Numbered> & {
  readonly line: number;
  readonly record: unknown;
  readonly error?: string;
  readonly text?: string;
};

/** What a report adds to a refused row of a counted kind, so that its correction is not taken for another row of its group. */
export type Numbered = {
  /** Number of rows of the group in the file that was imported. */
  readonly nth: number;
  /** A random key of the row, for its idempotency key. */
  readonly key: string;
};

const isCsv = (file: string): boolean => /\.csv$/i.test(file);

/**
 * Reads the records of a file: CSV if its name ends in `.csv`, JSON Lines otherwise. A line of a report about refused
 * rows is read as the record that it contains, so that a corrected report can be imported.
 * @throws UsageError for an invalid CSV file, such as one with an unclosed quote, and for a file in another encoding than UTF-8
 * or UTF-16
 */
export const readRows = (file: string, columns: readonly Column[]): AsyncGenerator<Row> =>
  isCsv(file) ? readCsv(file, columns) : readLines(file);

async function* readLines(file: string): AsyncGenerator<Row> {
  let line = 0;
  for await (const text of linesOf(textOf(file))) {
    line += 1;
    if (text.trim() !== "") yield rowOf(line, text, () => contentOf(JSON.parse(text)));
  }
}

/** Reads a file in UTF-8, or in the UTF-16 of spreadsheets. @throws UsageError for another encoding */
async function* textOf(file: string): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      const isWide = chunk[0] === 0xff && chunk[1] === 0xfe;
      decoder ??= new TextDecoder(isWide ? "utf-16le" : "utf-8", { fatal: true });
      yield decoder.decode(chunk, { stream: true });
    }
    if (decoder) yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new UsageError(`${file} is not in UTF-8. Save it in UTF-8, and import it again`);
  }
}

/** Splits text into lines. `readline` also splits at U+2028 and U+2029, which texts in JSON may contain. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let line = "";
  for await (const chunk of chunks) {
    const [first = "", ...others] = chunk.split("\n");
    line += first;
    for (const next of others) {
      yield line.replace(/\r$/, "");
      line = next;
    }
  }
  yield line;
}

/** A line of the report about refused rows. */
const Refused = v.strictObject({
  line: v.number(),
  nth: v.optional(v.number()),
  key: v.optional(v.string()),
  errors: v.array(v.unknown()),
  record: v.optional(v.unknown()),
  text: v.optional(v.string()),
});

type Content = Pick<Row, "record" | keyof Numbered>;

/** The record of a line. If the line is from a report, the record that the report contains, with its number. */
function contentOf(line: unknown): Content {
  if (!v.is(Refused, line)) return { record: line };
  const { record, nth, key } = line;
  if (record === undefined) throw new Error("The refused row has no record. Add it to the line as record");
  return { record, ...(nth !== undefined && key !== undefined && { nth, key }) };
}

async function* readCsv(file: string, columns: readonly Column[]): AsyncGenerator<Row> {
  const { separator, preamble } = await separatorIn(file);
  const parser = parse({
    bom: true,
    columns: (names: readonly string[]) => distinct(file, names),
    delimiter: separator,
    from_line: preamble === "" ? 1 : 2,
    info: true,
    raw: true,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  });
  // The parser throws read errors.
  pipeline(textOf(file), parser, () => {});
  try {
    for await (const { record, info, raw } of parser as AsyncIterable<Parsed>)
      yield rowOf(info.lines, raw.trimEnd(), () => {
        if (info.error) throw info.error;
        return { record: nested(record, columns) };
      });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new UsageError(`${file} is not a CSV file: ${error.message}`);
  }
}

async function separatorIn(file: string) {
  for await (const line of linesOf(textOf(file))) return separatorOf(`${line}\n`);
  return separatorOf("");
}

/** The names of columns. Columns without a name may be repeated. @throws UsageError for another name that is repeated */
function distinct(file: string, names: readonly string[]): string[] {
  const repeated = names.find((name, n) => name !== "" && names.indexOf(name) !== n);
  if (repeated === undefined) return [...names];
  throw new UsageError(`${file} has two columns with the name ${repeated}. Rename or remove one of them`);
}

/** `error` is set if the row has more or fewer cells than the header. */
type Parsed = {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: Error };
  readonly raw: string;
};

function rowOf(line: number, text: string, read: () => Content): Row {
  try {
    return { line, ...read() };
  } catch (error) {
    return { line, record: undefined, error: (error as Error).message, text };
  }
}

/** Omits empty cells. Keeps unknown columns, so that the import refuses the record and names them. */
function nested(flat: Readonly<Record<string, string>>, columns: readonly Column[]): object {
  const record: Record<string, unknown> = {};
  for (const [name, cell] of Object.entries(flat)) {
    if (cell === "") continue;
    const { path, as } = columns.find((column) => column.name === name) ?? { path: [name], as: "text" };
    let at = record;
    for (const part of path.slice(0, -1)) at = (at[part] ??= {}) as Record<string, unknown>;
    at[path.at(-1) ?? ""] = as === "json" ? jsonIn(unguarded(cell)) : unguarded(cell);
  }
  for (const { path, isKept } of columns) {
    const [first = "", last = ""] = path;
    const inner = record[first];
    if (isKept && typeof inner === "object" && inner !== null) Object.assign(inner, { [last]: "", ...inner });
  }
  return record;
}

/**
 * The value of a cell. Spreadsheets write `TRUE`, and long ids as `1.20074E+14`, without their last digits. Such a number, and
 * text that is not JSON, is kept as text, so that validation names the field.
 */
function jsonIn(text: string): unknown {
  if (/^-?[\d.]+e[+-]?\d+$/i.test(text)) return text;
  try {
    return JSON.parse(/^(true|false)$/i.test(text) ? text.toLowerCase() : text);
  } catch {
    return text;
  }
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
