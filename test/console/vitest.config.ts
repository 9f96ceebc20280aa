import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";

/** The console in Chromium, on the demo stack. All files share one stack and one browser. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: ["test/console/*.spec.ts"],
    exclude: [],
    globalSetup: ["test/support/bundle-functions.ts", "test/console/setup.ts"],
  },
});
