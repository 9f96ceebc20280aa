import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    watch: false,
    // What only a hang exceeds, also on a machine that is busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});
