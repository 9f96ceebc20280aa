import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";

/** The console in Chromium, on the demo stack. */
export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: ["test/console/*.spec.ts"], exclude: [] },
});
