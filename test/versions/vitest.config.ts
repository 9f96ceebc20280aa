import { defineConfig } from "vitest/config";
import shared from "../../vitest.config.ts";

/** Runs the tests of the API with the functions of two versions (`run.ts`). */
export default defineConfig({ ...shared, test: { ...shared.test, include: ["test/functions/**/*.test.ts"] } });
