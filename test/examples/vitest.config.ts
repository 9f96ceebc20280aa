import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";

/** The example front end in Chromium, with packages of its own that `npm run test:example` installs. */
export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: ["test/examples/*.spec.ts"], exclude: [] },
});
