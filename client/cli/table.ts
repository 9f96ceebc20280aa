import { shownName } from "#lib/values/shown-text.ts";

/** Maximum number of characters of a cell. */
const maxCell = 48;

/**
 * Formats the records of a list for a terminal, one line each, with a line of headings before the first. `columns` are
 * paths of fields, such as `user.email`. Column widths never shrink from one call to the next.
 */
export function tableOf(columns: readonly string[]): (records: readonly unknown[]) => string[] {
  let widths = columns.map((column) => column.length);
  let hasHeadings = false;
  return (records) => {
    if (records.length === 0) return [];
    const rows = records.map((record) => columns.map((column) => cut(textOf(valueAt(record, column.split("."))))));
    widths = widths.map((width, n) => Math.max(width, ...rows.map((row) => lengthOf(row[n] ?? ""))));
    const lines = (hasHeadings ? rows : [columns, ...rows]).map((row) => lineOf(row, widths));
    hasHeadings = true;
    return lines;
  };
}

/** Formats a record for a terminal: a line for each field, then a table for each list of objects. */
export function detailsOf(record: object): string[] {
  const fields = fieldsIn(record);
  const tables = fields.filter(([, value]) => isRecords(value)) as (readonly [string, readonly object[]])[];
  const lines = fields.filter(([, value]) => !isRecords(value)).map(([name, value]) => [name, textOf(value)]);
  const width = Math.max(0, ...lines.map(([name = ""]) => name.length));
  return [
    ...lines.map((line) => lineOf(line, [width, 0])),
    ...tables.flatMap(([name, records]) => ["", `${name}:`, ...tableOf(columnsIn(records))(records)]),
  ];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isRecords = (value: unknown): value is readonly object[] => Array.isArray(value) && value.some(isObject);

/** The fields of a record and of the objects in it, by path. */
const fieldsIn = (record: object, parent = ""): (readonly [path: string, value: unknown])[] =>
  Object.entries(record).flatMap(([name, value]) =>
    isObject(value) ? fieldsIn(value, `${parent}${name}.`) : [[`${parent}${name}`, value] as const],
  );

const columnsIn = (records: readonly object[]): string[] => [
  ...new Set(records.flatMap((record) => fieldsIn(record).map(([path]) => path))),
];

/** The value at a path. In a list, the values at the path of each element. */
function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (Array.isArray(value)) return value.map((element) => valueAt(element, [name, ...rest]));
  return isObject(value) ? valueAt(value[name], rest) : undefined;
}

/** A value as one line of text without control characters. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value) && !value.some(isObject)) return value.map(textOf).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shownName(text.replace(/\s+/g, " "), text.length);
}

const lengthOf = (text: string): number => Array.from(text).length;

const cut = (text: string): string =>
  lengthOf(text) > maxCell
    ? `${Array.from(text)
        .slice(0, maxCell - 1)
        .join("")}…`
    : text;

const lineOf = (row: readonly string[], widths: readonly number[]): string =>
  row
    .map((text, n) => text + " ".repeat(Math.max(0, (widths[n] ?? 0) - lengthOf(text))))
    .join("  ")
    .trimEnd();
