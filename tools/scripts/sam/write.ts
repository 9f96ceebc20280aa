import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { eventsOf } from "./events.ts";
import { Local } from "./records.ts";

/** Where the events are written: a file for each function. */
export const eventsFolder = ".odis/events";

/**
 * Writes an event for each function, about the data of the stack that runs with this folder, and `env.json` into the
 * folder: what turns functions to that stack. Ends the process where none runs.
 *
 * @returns the functions' ids
 */
export async function writeEvents(folder: string, into = eventsFolder): Promise<string[]> {
  const text = await readFile(join(folder, "local.json"), "utf8").catch(() => {
    console.error("No stack is running here. Start it first: npm start");
    process.exit(1);
  });
  const local = v.parse(v.pipe(v.string(), v.parseJson(), Local), text);
  Object.assign(process.env, local.environment);

  const events = Object.entries(await eventsOf(local)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  for (const [id, event] of events)
    await writeFile(join(into, `${id}.json`), `${JSON.stringify(event, undefined, 2)}\n`);
  await writeFile(
    join(folder, "env.json"),
    JSON.stringify({ Parameters: fromContainer(local.environment) }, undefined, 2),
  );
  return events.map(([id]) => id);
}

/** Docker shares this machine's addresses with its containers on Linux, and has a name for this machine elsewhere. */
function fromContainer(environment: Local["environment"]): Local["environment"] {
  if (process.platform === "linux") return environment;
  const asked = ["AWS_ENDPOINT_URL_DYNAMODB", "STRIPE_API_BASE"].flatMap((name) => {
    const address = environment[name]?.replace("127.0.0.1", "host.docker.internal");
    return address === undefined ? [] : [[name, address] as const];
  });
  return { ...environment, ...Object.fromEntries(asked) };
}
