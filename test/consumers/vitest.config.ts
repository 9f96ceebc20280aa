import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";

/** Programs outside this repository that use the API: with the packed client, and with clients that generators make. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: ["test/consumers/*.test.ts"],
    exclude: [],
    globalSetup: [],
    reporters: ["default"],
    // Each file starts a stack of its own and several compilers.
    maxWorkers: 1,
  },
});
