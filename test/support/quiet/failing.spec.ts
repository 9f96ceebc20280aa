import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { logError, logged } from "#lib/log.ts";

/** Handles a request, which writes one log line. */
const request = (route: string) =>
  logged(
    { request_id: "1", route },
    () => new Date(),
    async () => ({ statusCode: 200 }),
  );

beforeAll(() => request("beforeAll of the failing file"));

it("a test beside a failing one passes and handles a request", async () => {
  expect(await request("passing test of the failing file")).toEqual({ statusCode: 200 });
});

it("a test fails after it has handled two requests", async () => {
  await Promise.all([request("first of two requests"), request("second of two requests")]);
  logError(new Error("error of the failing test"));
  await new Promise((written) => process.stderr.write("stderr of the failing test\n", written));
  expect(1).toBe(2);
});

describe("a failing afterEach", () => {
  afterEach(() => {
    logError(new Error("log of the failing afterEach"));
    throw new Error("afterEach fails");
  });
  it("a test fails because its afterEach fails", async () => {
    expect(await request("test before the failing afterEach")).toEqual({ statusCode: 200 });
  });
});

describe("a failing beforeAll", () => {
  beforeAll(() => {
    logError(new Error("log of the failing beforeAll"));
    throw new Error("beforeAll fails");
  });
  it("a test is skipped because its beforeAll fails", () => expect.unreachable());
});

describe("a failing afterAll", () => {
  afterAll(() => {
    logError(new Error("log of the failing afterAll"));
    throw new Error("afterAll fails");
  });
  it("a test passes although its afterAll fails", async () => {
    expect(await request("test before the failing afterAll")).toEqual({ statusCode: 200 });
  });
});
