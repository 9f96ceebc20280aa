import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";

/**
 * The console in Chromium, on the demo stack. All files share one stack and one browser, and run one after another: a
 * community that one of them renames changes the version of every member that another one is about to refund.
 */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: ["test/console/*.spec.ts"],
    exclude: [],
    fileParallelism: false,
    globalSetup: ["test/support/bundle-functions.ts", "test/console/setup.ts"],
  },
});
