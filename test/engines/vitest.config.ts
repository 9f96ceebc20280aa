import { defineConfig } from "vitest/config";
import everyday from "../../vitest.config.ts";
import { ByFolder } from "../support/by-folder.ts";
import { fetchDynamoDBLocal } from "./dynamodb-local.ts";

const found = fetchDynamoDBLocal();
if ("missing" in found) console.warn(`NOT RUN: the tests on DynamoDB Local, as ${found.missing}.`);

/** What touches the table, on Amazon's own engine in the place of dynoxide; and how either differs from DynamoDB. */
export default defineConfig({
  ...everyday,
  test: {
    ...everyday.test,
    include:
      "lib" in found
        ? ["test/{functions,lib/{billing,discovery,http,projections,store}}/**/*.test.ts", "test/engines/*.spec.ts"]
        : [],
    exclude: [],
    passWithNoTests: "missing" in found,
    reporters: ["default", new ByFolder("DynamoDB Local")],
    env: {
      ...everyday.test?.env,
      DYNOXIDE_BIN: "",
      DYNAMODB_LOCAL_LIB: "lib" in found ? found.lib : "",
      // Each is the same on both engines; what matters here is every kind of request, not how many.
      EXPLORE_ROUNDS: process.env.EXPLORE_ROUNDS ?? "10",
    },
  },
});
