import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { textOf } from "./machine.ts";
import { type Run, tableOf } from "./result.ts";

const program = command(
  "npm run figures",
  "Writes the results of the last `npm run bench` to docs/figures.md, and its plots to tools/bench.",
).action(async () => {
  const { writePart } = await import("../build/tables.ts");
  const text = await readFile(join(import.meta.dirname, "../../.odis/bench.json"), "utf8").catch(() => {
    throw new Error("There are no results. Run: npm run bench");
  });
  const results = JSON.parse(text) as Run;
  await writePart("docs/figures.md", "figures", partOf(results));
  for (const section of ["growth", "month"])
    await writeFile(join(import.meta.dirname, `${section}.svg`), resultOf(results, section).plot ?? "");
});

function partOf(results: Run): string {
  const claims = Object.entries(results.results).flatMap(([section, result]) =>
    result.claims.map(({ claim, measured, holds }) => ({ section, claim, measured, "": holds ? "holds" : "fails" })),
  );
  const detailed = (section: string, summary: string): string => {
    const { method, rows } = resultOf(results, section);
    return `<details><summary>${summary}</summary>\n\n${method}\n\n${tableOf(rows)}\n\n</details>`;
  };
  return [
    `One run of \`npm run bench\`: ${textOf(results)}. Ratios are ratios of medians, with their 95 % confidence intervals.`,
    tableOf(claims),
    "![Cost of a request by number of records](../tools/bench/growth.svg)",
    detailed("cost", "Cost of a request to each route"),
    "![Cost of a month by number of members](../tools/bench/month.svg)",
    detailed("month", "Cost of a month of the whole stack"),
    detailed("peers", "Cold starts, compared with Hono and Express"),
    detailed("throttled", "First requests by memory size"),
    detailed("console", "Size of the console, and time until it can be used"),
  ].join("\n\n");
}

function resultOf({ results }: Run, section: string) {
  const result = results[section];
  if (!result) throw new Error(`The last run had no section ${section}. Run: npm run bench`);
  return result;
}

await run(program);
