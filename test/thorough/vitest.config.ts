import { defineConfig } from "vitest/config";
import everyday, { thorough } from "../../vitest.config.ts";

/**
 * The stack, the command line and the pages as their users meet them, each in a process of its own; and requests that die
 * after each of their calls.
 */
export default defineConfig({
  ...everyday,
  test: { ...everyday.test, include: thorough, exclude: [] },
});
