import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installTool } from "../build/tool.ts";
import { textOf, thisMachine } from "./machine.ts";
import { type Result, render } from "./result.ts";

/** `npm run bench`: all sections, or those that are named. Fails where a claim does not hold. */
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  cold: () => import("./cold.ts"),
  cost: () => import("./cost.ts"),
  discovery: () => import("./discovery.ts"),
  growth: () => import("./growth.ts"),
  load: () => withPeers("./peers/load.ts"),
  mechanisms: () => import("./mechanisms.ts"),
  members: () => import("./members.ts"),
  money: () => import("./money.ts"),
  peers: () => import("./peers.ts"),
  retries: () => import("./retries.ts"),
  throttled: () => import("./throttled.ts"),
  warm: () => withPeers("./peers/warm.ts"),
};

type Section = { readonly run: () => Promise<Result> };

/** A section that imports packages of `tools/bench/peers`, after they are installed. */
async function withPeers(file: string): Promise<Section> {
  installTool("bench/peers");
  return (await import(file)) as Section;
}

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
for (const [name, load] of Object.entries(sections)) {
  if (!names.includes(name)) continue;
  const { run } = await load();
  results[name] = await run();
  console.log(`\n${render(name, results[name])}`);
}

const folder = join(import.meta.dirname, "../../.odis");
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "bench.json"), `${JSON.stringify({ ...about, results }, null, 2)}\n`);

if (Object.values(results).some(({ claims }) => claims.some(({ holds }) => !holds))) process.exitCode = 1;
