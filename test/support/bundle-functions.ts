import { buildIfStale } from "../../tools/build/build.ts";

/** Bundles all functions before the tests that use the bundles, unless they are up to date. */
export async function setup(): Promise<void> {
  await buildIfStale();
}
