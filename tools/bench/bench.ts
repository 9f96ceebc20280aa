import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as cold from "./cold.ts";
import * as cost from "./cost.ts";
import * as discovery from "./discovery.ts";
import * as growth from "./growth.ts";
import * as load from "./load.ts";
import { textOf, thisMachine } from "./machine.ts";
import * as members from "./members.ts";
import * as money from "./money.ts";
import * as peers from "./peers.ts";
import { type Result, render } from "./result.ts";
import * as retries from "./retries.ts";
import * as throttled from "./throttled.ts";
import * as warm from "./warm.ts";

/** `npm run bench`: all sections, or those that are named. Fails where a claim does not hold. */
const sections: Readonly<Record<string, { readonly run: () => Promise<Result> }>> = {
  cold,
  cost,
  discovery,
  growth,
  load,
  members,
  money,
  peers,
  retries,
  throttled,
  warm,
};

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(sections);
const unknown = names.filter((name) => !Object.hasOwn(sections, name));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(", ")}. There are ${Object.keys(sections).join(", ")}.`);
  process.exit(1);
}

const about = { date: new Date().toISOString(), machine: thisMachine() };
console.log(`# ${textOf(about)}

Ratios are of medians, with the interval that holds 95 % of 1,000 resamplings.`);

const results: Record<string, Result> = {};
for (const [name, { run }] of Object.entries(sections)) {
  if (!names.includes(name)) continue;
  results[name] = await run();
  console.log(`\n${render(name, results[name])}`);
}

const folder = join(import.meta.dirname, "../../.odis");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "bench.json"), `${JSON.stringify({ ...about, results }, null, 2)}\n`);

if (Object.values(results).some(({ claims }) => claims.some(({ holds }) => !holds))) process.exitCode = 1;
