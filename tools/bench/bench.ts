import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Argument } from "commander";
import { installTool } from "../build/tool.ts";
import { command, run } from "../command.ts";
import { textOf, thisMachine } from "./machine.ts";
import { type Result, render } from "./result.ts";

/** The sections by name. Each is imported only when it runs. */
const sections: Readonly<Record<string, () => Promise<Section>>> = {
  cold: () => import("./cold.ts"),
  console: () => import("./console.ts"),
  cost: () => import("./cost.ts"),
  deliveries: () => import("./deliveries.ts"),
  discovery: () => import("./discovery.ts"),
  growth: () => import("./growth.ts"),
  load: () => withPeers("./peers/load.ts"),
  mechanisms: () => import("./mechanisms.ts"),
  members: () => import("./members.ts"),
  money: () => import("./money.ts"),
  month: () => import("./month.ts"),
  peers: () => import("./peers.ts"),
  push: () => import("./push.ts"),
  retries: () => import("./retries.ts"),
  schedule: () => import("./schedule.ts"),
  throttled: () => import("./throttled.ts"),
  warm: () => withPeers("./peers/warm.ts"),
};

type Section = { readonly run: () => Promise<Result> };

/** Imports a section that needs the packages of `tools/bench/peers`, after their installation. */
async function withPeers(file: string): Promise<Section> {
  installTool("bench/peers");
  return (await import(file)) as Section;
}

const program = command(
  "npm run bench --",
  "Measures requests, and fails if a claim does not hold. The results are stored in .odis/bench.json for `npm run figures`.",
)
  .addArgument(new Argument("[sections...]", "Sections to run (default: all)").choices(Object.keys(sections)))
  .action(bench);

async function bench(chosenNames: readonly string[]): Promise<void> {
  const about = { date: new Date().toISOString(), machine: thisMachine() };
  console.log(`# ${textOf(about)}

Ratios are of medians, with the interval that holds 95 % of 1,000 resamplings.`);

  const results: Record<string, Result> = {};
  for (const [name, load] of Object.entries(sections)) {
    if (chosenNames.length > 0 && !chosenNames.includes(name)) continue;
    const section = await load();
    results[name] = await section.run();
    console.log(`\n${render(name, results[name])}`);
  }

  const folder = join(import.meta.dirname, "../../.odis");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "bench.json"), `${JSON.stringify({ ...about, results }, null, 2)}\n`);
  if (Object.values(results).some(({ claims }) => claims.some(({ holds }) => !holds))) process.exitCode = 1;
}

await run(program);
