import { defineConfig } from "vitest/config";
import everyday, { thorough } from "../../vitest.config.ts";
import { fetchDynamoDBLocal } from "../engines/dynamodb-local.ts";

const found = fetchDynamoDBLocal();
if ("missing" in found) console.warn(`NOT RUN: the tests on DynamoDB Local, as ${found.missing}.`);

export default defineConfig({
  test: {
    watch: false,
    maxWorkers: 2,
    silent: "passed-only",
    projects: [
      // The stack and the command line as their users meet them, each in a process of its own; and requests that die after
      // each of their calls.
      { ...everyday, test: { ...everyday.test, name: "processes", include: thorough, exclude: [] } },
      // The store on Amazon's own engine in the place of dynoxide; and how either differs from DynamoDB.
      {
        ...everyday,
        test: {
          ...everyday.test,
          name: "dynamodb-local",
          include:
            "lib" in found ? ["test/lib/{discovery,projections,store}/**/*.test.ts", "test/engines/*.spec.ts"] : [],
          exclude: [],
          sequence: { groupOrder: 1 },
          env: {
            ...everyday.test?.env,
            DYNOXIDE_BIN: "",
            DYNAMODB_LOCAL_LIB: "lib" in found ? found.lib : "",
          },
        },
      },
    ],
  },
});
