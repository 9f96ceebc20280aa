import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { rebuild, type World } from "#lib/projections/rebuild.ts";
import { removeStrays } from "#lib/projections/strays.ts";
import { communityIds } from "#lib/store/scan.ts";
import { connect, documents } from "#lib/store/table.ts";

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
  if (!process.env.TABLE_NAME) await turnToLocalStack(options.folder);
  const client = documents();
  const table = connect(client)();
  const world = { table, now: () => new Date(), pause: () => wait(500), isDryRun };
  const bar = progressBar(process.stderr);
  const { communities, wrong } = await rebuildAll(world, {
    onProgress: bar.show,
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

async function turnToLocalStack(folder: string): Promise<void> {
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    console.error("Set TABLE_NAME, or start a stack here: npm start");
    process.exit(2);
  });
  const { dynamodb_url, table_name } = JSON.parse(text) as Readonly<Record<string, string>>;
  Object.assign(process.env, {
    TABLE_NAME: table_name,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb_url,
    AWS_REGION: "eu-central-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
  });
}

const width = 30;

/** Shows on a terminal, and nowhere else, how far it is. */
function progressBar(stream: NodeJS.WriteStream) {
  const clear = () => {
    if (stream.isTTY) stream.write("\r\u001b[K");
  };
  return {
    clear,
    show: (done: number, all: number, wrong: number) => {
      if (!stream.isTTY) return;
      const full = Math.round((width * done) / all);
      clear();
      stream.write(`${"█".repeat(full)}${"░".repeat(width - full)} ${done}/${all} communities, ${wrong} wrong`);
    },
  };
}

if (import.meta.main) await main();
