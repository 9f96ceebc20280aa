import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { afterAll, expect } from "vitest";
import type { Refusals } from "./run.ts";

const refusedLabels = new Set<string | undefined>();
Object.assign(globalThis, { refusedLabels });

afterAll(() => {
  const labels = [...refusedLabels].filter((label) => label !== undefined);
  const refusals: Refusals = { file: relative("", expect.getState().testPath ?? ""), labels };
  appendFileSync(process.env.REFUSALS_FILE ?? "", `${JSON.stringify(refusals)}\n`);
});
