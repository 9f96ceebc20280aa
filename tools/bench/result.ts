import type { Machine } from "./machine.ts";
import type { Ratio } from "./statistics.ts";

/** `undefined` where a row has nothing to say. */
type Cell = string | number | Ratio | undefined;

/** What a section of the benchmark found. */
export type Result = {
  /** What was measured and how, in a sentence or two. */
  readonly method: string;
  /** The keys of a row are the headings. */
  readonly rows: readonly Readonly<Record<string, Cell>>[];
  readonly claims: readonly Claim[];
  /** A plot of it, as SVG. */
  readonly plot?: string;
};

/** What we say of ourselves, and what the run says to it. */
export type Claim = { readonly claim: string; readonly found: string; readonly holds: boolean };

/** The claim that none of some ratios is above a limit. */
export function atMost(limit: number, claim: string, ratios: readonly Ratio[]): Claim {
  const worst = ratios.toSorted((a, b) => b.ratio - a.ratio)[0];
  return { claim: `${claim} ≤ ${limit}`, found: textOf(worst), holds: worst !== undefined && worst.ratio <= limit };
}

/** What a run of the benchmark leaves in `.odis/bench.json`. */
export type Run = {
  readonly date: string;
  readonly machine: Machine;
  readonly results: Readonly<Record<string, Result>>;
};

/** A result as Markdown that is also a table in a terminal. */
export function render(name: string, { method, rows, claims }: Result): string {
  const verdicts = claims.map(({ claim, found, holds }) => `${holds ? "holds" : "FAILS"}: ${claim}; found ${found}`);
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
  // Counts, and capacity units, which come in halves.
  if (typeof cell === "number" && cell % 0.5 === 0) return String(cell);
  if (typeof cell === "number") return cell.toFixed(cell < 10 ? 2 : 1);
  return `${cell.ratio.toFixed(2)} (${cell.low.toFixed(2)}–${cell.high.toFixed(2)})`;
}
