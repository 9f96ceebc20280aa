/** Characters that a spreadsheet skips before it looks for a formula. */
const skipped = String.raw`[\p{White_Space}\p{Cc}\p{Cf}\u115F\u1160\u2800\u3164]*`;

/**
 * What a spreadsheet would run as a formula (OWASP, "CSV Injection"): `=`, `+`, `-` or `@` at the start of a cell, or
 * after what separates cells in other locales and at a paste. A text that begins with apostrophes counts too, so that each
 * text is read back as it was.
 */
const formula = new RegExp(`(?:^'*|[;\\t|])${skipped}[=+\\-@＝＋－＠]`, "u");

/** A text as a cell holds it: led by an apostrophe if a spreadsheet would run it … */
export const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text);

/** … which is taken off again here, and only there. */
export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell.slice(1)) ? cell.slice(1) : cell;

/**
 * A line of CSV (RFC 4180) that is harmless in a spreadsheet of any locale. Every text is quoted; null and undefined are
 * empty; what is neither a text, a number nor a boolean is written as JSON, which is a text.
 */
export const csvLine = (values: readonly unknown[]): string => `${values.map(cellOf).join(",")}\r\n`;

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `"${guarded(text).replaceAll('"', '""')}"`;
}
