import { afterAll, beforeAll, expect, it } from "vitest";
import { logError, logged } from "#lib/log.ts";

beforeAll(() => logError(new Error("beforeAll of the passing file")));
afterAll(() => logError(new Error("afterAll of the passing file")));

it("a test handles requests and passes", async () => {
  const line = { request_id: "1", route: "request of the passing file" };
  expect(
    await logged(
      line,
      () => new Date(),
      async () => ({ statusCode: 200 }),
    ),
  ).toEqual({ statusCode: 200 });
  logError(new Error("error of the passing file"));
  process.stderr.write("stderr of the passing file\n");
  console.error(new Error("console of the passing file"));
});
