import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { rebuild, type World } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import { communityIds } from "#lib/store/scan.ts";
import { connect, documents } from "#lib/store/table.ts";
import { progressBar } from "./progress.ts";
import { useRunningStack } from "./running-stack.ts";

/** How many communities are counted at the same time. */
const abreast = 4;

type Report = {
  /** Called with every community that is done. */
  readonly onProgress: (done: number, all: number, wrong: number) => void;
  readonly onWrong: (line: string) => void;
};

/** Counts every community again, and tells what was wrong. @returns how many lines there were to tell, and of how many */
export async function rebuildAll(world: World, { onProgress, onWrong }: Report) {
  const ids = await communityIds(world.table);
  const left = ids.values();
  let done = 0;
  let wrong = 0;
  const tell = (lines: readonly string[]) => {
    wrong += lines.length;
    lines.forEach(onWrong);
  };
  const countNext = async () => {
    for (const id of left) {
      tell((await rebuild(world, id)).map((line) => `community ${id}: ${line}`));
      done += 1;
      onProgress(done, ids.length, wrong);
    }
  };
  await Promise.all(Array.from({ length: abreast }, countNext));
  tell(await removeStrays(world.table, world));
  return { communities: ids.length, wrong };
}

/** `npm run rebuild`: on the table of TABLE_NAME with the AWS credentials at hand, or else on the stack running here. */
async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      "dry-run": { type: "boolean", default: false },
      folder: { type: "string", default: ".odis" },
      help: { type: "boolean", default: false },
    },
  });
  if (options.help) {
    console.log(`Usage: [TABLE_NAME=…] npm run rebuild -- [options]

Counts every community's figures and directory row again from its members, while they are in use.

  --dry-run        only tell what is wrong, and fail if anything is
  --folder .odis   where the running stack keeps its data, if there is no TABLE_NAME`);
    return;
  }
  const isDryRun = options["dry-run"];
  await useRunningStack(options.folder);
  const client = documents();
  const table = connect(client)();
  const world = { table, now: () => new Date(), pause: () => wait(500), isDryRun };
  const bar = progressBar(process.stderr);
  const { communities, wrong } = await rebuildAll(world, {
    onProgress: (done, all, found) => bar.show(done, all, `communities, ${found} wrong`),
    onWrong(line) {
      bar.clear();
      console.log(line);
    },
  });
  bar.clear();
  const outcome = wrong === 0 ? "nothing wrong" : `${wrong} wrong${isDryRun ? "" : ", and put right"}`;
  console.log(`${communities} communities: ${outcome}`);
  client.destroy();
  if (isDryRun && wrong > 0) process.exitCode = 1;
}

if (import.meta.main) await main();
