import { join } from "node:path";
import { defineConfig } from "vitest/config";
import everyday from "../../../vitest.config.ts";

/** Test files that log, with the settings of `npm test`. `test/support/quiet.test.ts` checks their output. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    root: join(import.meta.dirname, "../../.."),
    include: ["test/support/quiet/*.spec.ts"],
    globalSetup: [],
    reporters: ["default"],
  },
});
