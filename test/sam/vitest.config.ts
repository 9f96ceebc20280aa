import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";
import { fetchSam } from "./sam.ts";

const sam = fetchSam();
if ("missing" in sam)
  console.warn(`NOT RUN: the functions as SAM and Lambda's runtime would run them, as ${sam.missing}.`);

/** Tests each function of the synthesized template, as SAM resolves it and Lambda's runtime runs it. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: "missing" in sam ? [] : ["test/sam/*.spec.ts"],
    passWithNoTests: "missing" in sam,
    globalSetup: [],
    reporters: ["default"],
    // Creating the demo's data and the template is slow.
    hookTimeout: 300_000,
  },
});
