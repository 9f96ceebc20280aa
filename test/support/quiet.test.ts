import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";

const project = join(import.meta.dirname, "../..");

/** The output of a run of the files in `test/support/quiet`. */
let printed: string;
beforeAll(() => {
  const vitest = join(project, "node_modules/vitest/vitest.mjs");
  const config = join(import.meta.dirname, "quiet/vitest.config.ts");
  const { stdout, stderr } = spawnSync(process.execPath, [vitest, "run", "--config", config], {
    cwd: project,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", FORCE_COLOR: undefined },
  });
  // Removes the source that Vitest quotes for a failed test, which contains the logged texts.
  printed = `${stdout}${stderr}`.replace(/^ +\d*\|.*$/gm, "");
});

it("the run of test/support/quiet has one passed file, one with failed tests and one that logs personal data", () => {
  expect(printed).toMatch(/Test Files +2 failed \| 1 passed/);
  expect(printed).toMatch(/Tests +2 failed \| 5 passed \| 1 skipped/);
});

it.each(["passing file", "passing test of the failing file", "test before the failing afterAll"])(
  "a run prints nothing that is written by a passing test: %s",
  (text) => expect(printed).not.toContain(text),
);

it.each([
  "first of two requests",
  "second of two requests",
  "error of the failing test",
  "stderr of the failing test",
  "test before the failing afterEach",
  "log of the failing afterEach",
  "log of the failing beforeAll",
  "log of the failing afterAll",
  "beforeAll of the failing file",
])("a run prints what is written by a failing test and the hooks around it: %s", (text) =>
  expect(printed).toContain(text),
);

it("a file whose passing tests log e-mail addresses fails, whether they write to a stream or to the console", () => {
  const [, ...lines] = /The log holds secrets or personal data:\n(.*)\n(.*)\n/.exec(printed) ?? [];
  expect(lines).toEqual([expect.stringContaining("ana@example.com"), expect.stringContaining("olga@example.com")]);
});
