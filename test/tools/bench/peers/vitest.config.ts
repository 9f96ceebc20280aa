import { defineConfig } from "vitest/config";
import everyday from "../../../../vitest.config.ts";

/** The benchmark's peers, whose packages `npm run test:peers` installs. */
export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: ["test/tools/bench/peers/*.spec.ts"], globalSetup: [] },
});
