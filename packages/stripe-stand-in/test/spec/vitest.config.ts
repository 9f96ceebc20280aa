import { spawnSync } from "node:child_process";
import { defineConfig } from "vitest/config";
import { module } from "./stripe-mock.ts";

const hasStripeMock = spawnSync("go", ["mod", "download", module]).status === 0;
if (!hasStripeMock)
  console.warn("NOT TESTED: Stripe's OpenAPI document is a Go module, which cannot be downloaded here");

/** The tests that need Stripe's OpenAPI description, and stripe-mock, which serves that description. */
export default defineConfig({
  test: {
    include: hasStripeMock ? ["test/spec/*.spec.ts"] : [],
    passWithNoTests: !hasStripeMock,
    watch: false,
    testTimeout: 60_000,
    // The first build of stripe-mock is slow.
    hookTimeout: 300_000,
  },
});
