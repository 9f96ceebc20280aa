/** Where a cell begins: in a spreadsheet whose locale has another separator, also within a text, which it does not take as quoted. */
const start = String.raw`(^|[;\t|\r\n])`;

/** Characters that a spreadsheet skips before it looks for a formula. */
const skipped = String.raw`(?:(?![\t\r\n])[\p{White_Space}\p{Cc}\p{Cf}\u115F\u1160\u2800\u3164])*`;

/**
 * Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"): `=`, `+`, `-` or `@` at the start of a cell.
 * Includes text after apostrophes, so that `unguarded` restores all text.
 */
const formula = String.raw`('*${skipped}[=+\-@＝＋－＠])`;

/** Adds an apostrophe before each part of a text that a spreadsheet would run as a formula. */
export const guarded = (text: string): string => text.replace(new RegExp(start + formula, "gu"), "$1'$2");

/** Removes the apostrophes that `guarded` has added. */
export const unguarded = (cell: string): string => cell.replace(new RegExp(`${start}'${formula}`, "gu"), "$1$2");

/**
 * A line of CSV (RFC 4180) that is safe in a spreadsheet of any locale. Text is quoted, null and undefined are empty, and
 * objects are written as JSON text.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(",")}\r\n`;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${guarded(text).replaceAll('"', '""')}"`;
}

/**
 * The separator of a text in CSV, of which the first lines are enough: a comma, or the semicolon or tab that spreadsheets write
 * in some locales and formats. It is the one that `preamble` names, a line such as `sep=;` before the header, or else the one that
 * occurs most often in the header.
 */
export function separatorOf(text: string): { readonly separator: string; readonly preamble: string } {
  const [preamble = "", named] = /^sep=([,;\t])(?:\r\n|\r|\n)/i.exec(text) ?? [];
  if (named !== undefined) return { separator: named, preamble };
  const [header = ""] = text.replaceAll(/"[^"]*(?:""[^"]*)*"/g, "").split(/[\r\n]/, 1);
  const countOf = (separator: string): number => header.split(separator).length;
  const separator = [",", ";", "\t"].reduce((best, other) => (countOf(other) > countOf(best) ? other : best));
  return { separator, preamble };
}
