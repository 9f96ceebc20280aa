import { expect, it } from "vitest";
import { logged } from "#lib/log.ts";

it("a test logs an e-mail address and passes", async () => {
  const line = { request_id: "ana@example.com", route: "route" };
  expect(
    await logged(
      line,
      () => new Date(),
      async () => ({ statusCode: 200 }),
    ),
  ).toEqual({ statusCode: 200 });
});

it("a test writes a line with an e-mail address to the console and passes", () => {
  const line = { level: "info", message: "olga@example.com" };
  expect(() => console.log(JSON.stringify(line))).not.toThrow();
});
