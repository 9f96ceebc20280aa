import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writePart } from "../build/readme.ts";
import { textOf } from "./machine.ts";
import { type Run, tableOf } from "./result.ts";

/** `npm run figures`: puts what the last `npm run bench` found into the README, and its plot beside this file. */
const run = JSON.parse(await readFile(join(import.meta.dirname, "../../.odis/bench.json"), "utf8")) as Run;

function resultOf(section: string) {
  const result = run.results[section];
  if (!result) throw new Error(`The last run had no section ${section}: npm run bench`);
  return result;
}

const claims = Object.entries(run.results).flatMap(([section, result]) =>
  result.claims.map(({ claim, found, holds }) => ({ section, claim, found, "": holds ? "holds" : "fails" })),
);

const detailed = (section: string, summary: string): string => {
  const { method, rows } = resultOf(section);
  return `<details><summary>${summary}</summary>\n\n${method}\n\n${tableOf(rows)}\n\n</details>`;
};

await writeFile(join(import.meta.dirname, "growth.svg"), resultOf("growth").plot ?? "");
await writePart(
  "figures",
  [
    `One run of \`npm run bench\`: ${textOf(run)}. Ratios are of medians, with the interval of 95 %.`,
    tableOf(claims),
    "![What a request costs, by how many records there are](tools/bench/growth.svg)",
    detailed("cost", "What a request of each route costs"),
    detailed("peers", "Cold starts, beside Hono, Express, ElectroDB and DynamoDB-Toolbox"),
    detailed("throttled", "First requests, by memory"),
  ].join("\n\n"),
);
