import { expect, it } from "vitest";
import { logError } from "#lib/log.ts";
import { startLog } from "../support/log.ts";

const log = startLog();

it("the log line of an error begins with its first cause, before the errors that wrap it and the request", () => {
  const cause = new TypeError("The table is gone");
  const middle = new Error("A page could not be read", { cause });
  logError(new Error("The members could not be listed", { cause: middle }), { route: "GET /members" });
  const text = JSON.stringify(log.lines("error")[0]);
  expect(text).toMatch(
    /^\{"level":"error","error":\{"cause":\{"cause":\{"name":"TypeError","message":"The table is gone"/,
  );
  expect(text.indexOf("A page could not be read")).toBeLessThan(text.indexOf("The members could not be listed"));
  expect(text.indexOf("The members could not be listed")).toBeLessThan(text.indexOf("GET /members"));
});
