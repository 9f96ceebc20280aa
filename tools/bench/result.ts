import type { Machine } from "./machine.ts";
import type { Ratio } from "./statistics.ts";

/** `undefined` is shown as an empty cell. */
type Cell = string | number | Ratio | undefined;

/** The result of a benchmark section. */
export type Result = {
  /** What was measured and how, in one or two sentences. */
  readonly method: string;
  /** The rows of the table. Their keys are the headings. */
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  readonly claims: readonly Claim[];
  /** A plot as SVG. */
  readonly plot?: string;
};

/** A claim about Odis, the measured value, and whether the claim holds. */
export type Claim = { readonly claim: string; readonly measured: string; readonly holds: boolean };

/** The claim that no ratio exceeds a limit. */
export function atMost(limit: number, claim: string, ratios: readonly Ratio[]): Claim {
  const worst = ratios.toSorted((a, b) => b.ratio - a.ratio)[0];
  return { claim: `${claim} ≤ ${limit}`, measured: textOf(worst), holds: worst !== undefined && worst.ratio <= limit };
}

/** The contents of `.odis/bench.json`. */
export type Run = {
  readonly date: string;
  readonly machine: Machine;
  readonly results: Readonly<Record<string, Result>>;
};

/** Formats a result as Markdown whose table is also readable in a terminal. */
export function render(name: string, { method, rows, claims }: Result): string {
  const verdicts = claims.map(
    ({ claim, measured, holds }) => `${holds ? "holds" : "FAILS"}: ${claim}; measured ${measured}`,
  );
  return [`## ${name}`, method, tableOf(rows), verdicts.map((line) => `- ${line}`).join("\n")].join("\n\n");
}

export function tableOf(rows: Result["rows"]): string {
  const headings = Object.keys(rows[0] ?? {});
  const isNumeric = headings.map((heading) => rows.some((row) => typeof row[heading] !== "string"));
  const cells = [headings, ...rows.map((row) => headings.map((heading) => textOf(row[heading])))];
  const widths = headings.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0), 3));
  const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  const [head = "", ...body] = cells.map((texts) =>
    line(texts.map((text, n) => (isNumeric[n] ? text.padStart(widths[n] ?? 0) : text.padEnd(widths[n] ?? 0)))),
  );
  const rule = line(widths.map((width, n) => (isNumeric[n] ? `${"-".repeat(width - 1)}:` : "-".repeat(width))));
  return [head, rule, ...body].join("\n");
}

function textOf(cell: Cell): string {
  if (cell === undefined) return "";
  if (typeof cell === "string") return cell;
  // Counts and capacity units, which are multiples of 0.5.
  if (typeof cell === "number" && cell % 0.5 === 0) return String(cell);
  if (typeof cell === "number") return cell.toFixed(cell < 10 ? 2 : 1);
  return `${cell.ratio.toFixed(2)} (${cell.low.toFixed(2)}–${cell.high.toFixed(2)})`;
}
