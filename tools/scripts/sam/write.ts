import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { runningStack } from "../running-stack.ts";
import { eventsOf } from "./events.ts";
import { Local } from "./records.ts";

/**
 * Writes an example event for each function into a folder, `<id>.json`, and the environment of the functions into the
 * stack's folder, `env.json`. Deletes nothing.
 *
 * @returns the functions' ids
 * @throws Error if no stack is running
 */
export async function writeEvents(folder: string, into: string): Promise<string[]> {
  const local = v.parse(Local, await runningStack(folder));
  Object.assign(process.env, local.environment);

  const events = Object.entries(await eventsOf(local)).toSorted(([a], [b]) => (a < b ? -1 : 1));
  await mkdir(into, { recursive: true });
  for (const [id, event] of events)
    await writeFile(join(into, `${id}.json`), `${JSON.stringify(event, undefined, 2)}\n`);
  await writeFile(
    join(folder, "env.json"),
    JSON.stringify({ Parameters: fromContainer(local.environment) }, undefined, 2),
  );
  return events.map(([id]) => id);
}

/**
 * Replaces loopback addresses outside Linux, where Docker does not share the host's network and has a name for the
 * host.
 */
function fromContainer(environment: Local["environment"]): Local["environment"] {
  if (process.platform === "linux") return environment;
  const hostAddresses = ["AWS_ENDPOINT_URL_DYNAMODB", "STRIPE_API_BASE"].flatMap((name) => {
    const address = environment[name]?.replace("127.0.0.1", "host.docker.internal");
    return address === undefined ? [] : [[name, address] as const];
  });
  return { ...environment, ...Object.fromEntries(hostAddresses) };
}
