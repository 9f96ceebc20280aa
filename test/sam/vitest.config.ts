import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";
import { fetchSam } from "./sam.ts";

const sam = fetchSam();
if ("missing" in sam)
  console.warn(`NOT RUN: the functions as SAM and Lambda's runtime would run them, as ${sam.missing}.`);

/** Each function of the synthesised template, resolved by SAM and run as Lambda's runtime does. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include: "missing" in sam ? [] : ["test/sam/*.spec.ts"],
    passWithNoTests: "missing" in sam,
    globalSetup: [],
    reporters: ["default"],
    // Making the demo's data and the template takes a while.
    hookTimeout: 300_000,
  },
});
