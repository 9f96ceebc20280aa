import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { command, run } from "../command.ts";
import { textOf } from "./machine.ts";
import { type Run, tableOf } from "./result.ts";

const program = command(
  "npm run figures",
  "Writes the results of the last `npm run bench` into docs/figures.md, and its plots to tools/bench.",
).action(async () => {
  const { writePart } = await import("../build/tables.ts");
  const text = await readFile(join(import.meta.dirname, "../../.odis/bench.json"), "utf8").catch(() => {
    throw new Error("There are no results: npm run bench");
  });
  const results = JSON.parse(text) as Run;
  await writePart("docs/figures.md", "figures", partOf(results));
  for (const section of ["growth", "month"])
    await writeFile(join(import.meta.dirname, `${section}.svg`), resultOf(results, section).plot ?? "");
});

function partOf(results: Run): string {
  const claims = Object.entries(results.results).flatMap(([section, result]) =>
    result.claims.map(({ claim, found, holds }) => ({ section, claim, found, "": holds ? "holds" : "fails" })),
  );
  const detailed = (section: string, summary: string): string => {
    const { method, rows } = resultOf(results, section);
    return `<details><summary>${summary}</summary>\n\n${method}\n\n${tableOf(rows)}\n\n</details>`;
  };
  return [
    `One run of \`npm run bench\`: ${textOf(results)}. Ratios are of medians, with the interval of 95 %.`,
    tableOf(claims),
    "![What a request costs, by how many records there are](../tools/bench/growth.svg)",
    detailed("cost", "What a request of each route costs"),
    "![What a month costs, by how many members there are](../tools/bench/month.svg)",
    detailed("month", "What a month of a whole stack costs"),
    detailed("peers", "Cold starts, beside Hono, Express, ElectroDB and DynamoDB-Toolbox"),
    detailed("throttled", "First requests, by memory"),
  ].join("\n\n");
}

function resultOf({ results }: Run, section: string) {
  const result = results[section];
  if (!result) throw new Error(`The last run had no section ${section}: npm run bench`);
  return result;
}

await run(program);
