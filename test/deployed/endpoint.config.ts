import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

/**
 * Tests of the API that need neither a stand-in nor an admin, against a stage on AWS (`npm run try:aws`). They run one
 * after another, because a sandbox allows few requests per second.
 */
export default defineConfig({
  ...shared,
  test: {
    ...shared.test,
    include: [
      "test/deployed/sign-in.test.ts",
      "test/functions/{brand-list,membership,own-payment-history,parcels}.test.ts",
    ],
    globalSetup: "test/deployed/endpoint.ts",
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 1,
    watch: false,
    silent: "passed-only",
  },
});
