import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import everyday from "../../vitest.config.ts";

/** Files that run together, after those of the groups before them. */
const group = (
  name: string,
  groupOrder: number,
  test: NonNullable<TestProjectInlineConfiguration["test"]>,
): TestProjectInlineConfiguration => ({
  ...everyday,
  test: { ...everyday.test, exclude: [], sequence: { groupOrder }, ...test, name },
});

/** What people see in a browser: the site, the example front end, and the console. */
export default defineConfig({
  test: {
    watch: false,
    maxWorkers: 2,
    silent: "passed-only",
    projects: [
      group("site", 0, { include: ["test/site/**/*.test.ts"] }),
      group("example", 1, { include: ["test/examples/*.spec.ts"] }),
      // All files share one stack and one browser, and run one after another: a community that one of them renames changes
      // the version of every member that another one is about to refund.
      group("console", 2, {
        include: ["test/console/*.spec.ts"],
        fileParallelism: false,
        globalSetup: ["test/support/bundle-functions.ts", "test/console/setup.ts"],
      }),
    ],
  },
});
