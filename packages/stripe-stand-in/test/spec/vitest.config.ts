import { spawnSync } from "node:child_process";
import { defineConfig } from "vitest/config";

const hasGo = spawnSync("go", ["version"]).status === 0;
if (!hasGo) console.warn("NOT RUN: Stripe's own description of its API comes as a Go module, and there is no Go here.");

/** The tests that need Stripe's description of its API, and stripe-mock, which is made of it. */
export default defineConfig({
  test: {
    include: hasGo ? ["test/spec/*.spec.ts"] : [],
    passWithNoTests: !hasGo,
    watch: false,
    testTimeout: 60_000,
    // Building stripe-mock for the first time takes a while.
    hookTimeout: 300_000,
  },
});
