import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { hasBrowser, launchServer } from "../support/chromium.ts";

type Local = Awaited<ReturnType<typeof startDemoStack>>["local"];

declare module "vitest" {
  interface ProvidedContext {
    /** Where the demo stack and the browser of this run are. */
    console: { readonly local: Local; readonly browser: string } | undefined;
  }
}

/** Starts one demo stack and one Chromium for all files of the tier, where there is a Chromium. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (!hasBrowser("the console")) {
    provide("console", undefined);
    return async () => undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "odis-console-"));
  const [stack, browser] = await Promise.all([startDemoStack({ port: 0, folder }), launchServer()]);
  provide("console", { local: stack.local, browser: browser.wsEndpoint() });
  return async () => {
    await Promise.all([stack.stop(), browser.close()]);
    await rm(folder, { recursive: true, force: true });
  };
}
