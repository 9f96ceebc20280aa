import { defineConfig } from "vitest/config";
import everyday, { processes } from "../../vitest.config.ts";

/** The stack, the command line and the pages as their users meet them: each in a process of its own. */
export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: processes, exclude: [] },
});
