import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The version that handles reads. Both versions write in turns, beginning with the other one. */
export type Readers = "older" | "newer";

/**
 * Returns the functions whose bytes differ between two builds, such as `members/list`, and functions that only one
 * build has.
 */
export function changedFunctions(older: string, newer: string): string[] {
  const contentOf = (build: string, name: string) => {
    const file = join(build, name, "index.mjs");
    return existsSync(file) ? readFileSync(file, "utf8") : undefined;
  };
  const names = new Set([older, newer].flatMap(functionsIn));
  return [...names].filter((name) => contentOf(older, name) !== contentOf(newer, name)).toSorted();
}

/**
 * Writes a build that combines the functions of two versions. Each call goes to one of them, as during the rollout of a
 * deployment. A function that the older version does not have always runs in the newer version.
 */
export function mix(older: string, newer: string, into: string, readers: Readers): void {
  for (const name of functionsIn(newer)) {
    const folder = join(into, name);
    mkdirSync(folder, { recursive: true });
    const versions = { older, newer };
    for (const [version, build] of Object.entries(versions)) {
      const file = join(build, name, "index.mjs");
      copyFileSync(existsSync(file) ? file : join(newer, name, "index.mjs"), join(folder, `${version}.mjs`));
    }
    writeFileSync(join(folder, "index.mjs"), dispatcher(readers));
  }
}

const functionsIn = (build: string): string[] => globSync("*/*/index.mjs", { cwd: build }).map((file) => dirname(file));

const dispatcher = (readers: Readers): string => `
import * as older from "./older.mjs";
import * as newer from "./newer.mjs";

const [readers, others] = ${readers === "older" ? "[older, newer]" : "[newer, older]"};
let writes = 0;
export const handler = (event, context) => {
  const isRead = event?.requestContext?.http?.method === "GET";
  return (isRead || ++writes % 2 === 0 ? readers : others).handler(event, context);
};
`;
