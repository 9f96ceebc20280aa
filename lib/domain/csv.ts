/** Characters that a spreadsheet skips before it looks for a formula. */
const skipped = String.raw`[\p{White_Space}\p{Cc}\p{Cf}\u115F\u1160\u2800\u3164]*`;

/**
 * Text that a spreadsheet would run as a formula (OWASP, "CSV Injection"): `=`, `+`, `-` or `@` at the start of a cell, or
 * after a separator of cells in any locale. Includes text after leading apostrophes, so that `unguarded` restores all text.
 */
const formula = new RegExp(`(?:^'*|[;\\t|])${skipped}[=+\\-@＝＋－＠]`, "u");

/** Adds a leading apostrophe to a text that a spreadsheet would run as a formula. */
export const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** Removes the apostrophe that `guarded` has added. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;

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
