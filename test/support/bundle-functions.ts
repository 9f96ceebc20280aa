import { buildIfStale } from "../../tools/build/build.ts";

/** Bundles every function, unless that is done, before the tests that read or run the bundles. */
export async function setup(): Promise<void> {
  await buildIfStale();
}
