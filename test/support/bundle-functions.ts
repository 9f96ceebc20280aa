import { build } from "../../tools/build/build.ts";

/** Bundles every function once, before the tests that read or run the bundles. */
export async function setup(): Promise<void> {
  await build();
}
