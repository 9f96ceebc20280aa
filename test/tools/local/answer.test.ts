import { describe, expect, test } from "vitest";
import { toAnswer } from "../../../tools/local/gateway/answer.ts";

describe("a result without a status code is a 200 in JSON", () => {
  test.each([
    { result: "Hello from Lambda!", body: "Hello from Lambda!" },
    { result: { message: "Hello from Lambda!" }, body: '{"message":"Hello from Lambda!"}' },
    { result: [1, 2], body: "[1,2]" },
    { result: undefined, body: "null" },
  ])("$body", ({ result, body }) => {
    expect(toAnswer(result)).toEqual({ status: 200, headers: [["content-type", "application/json"]], body });
  });
});

test("a response is taken over: status, headers, cookies and body", () => {
  expect(
    toAnswer({
      statusCode: 201,
      headers: { "Content-Type": "application/json", "X-Count": 2, "content-length": 99 },
      cookies: ["a=1; Secure", "b=2"],
      body: "{}",
    }),
  ).toEqual({
    status: 201,
    headers: [
      ["content-type", "application/json"],
      ["x-count", "2"],
      ["set-cookie", "a=1; Secure"],
      ["set-cookie", "b=2"],
    ],
    body: "{}",
  });
});

test("a base64 body is sent as its bytes", () => {
  const { body } = toAnswer({ statusCode: 200, body: "AP8=", isBase64Encoded: true });
  expect(body).toEqual(Buffer.from([0, 255]));
});

test("a body without a type is text, and no body has no type", () => {
  expect(toAnswer({ statusCode: 200, body: "x" }).headers).toEqual([["content-type", "text/plain; charset=utf-8"]]);
  expect(toAnswer({ statusCode: 204 })).toEqual({ status: 204, headers: [], body: "" });
});

test.each([
  { what: "a status code that is text", result: { statusCode: "200" }, why: "Expected number" },
  { what: "a status code that HTTP does not have", result: { statusCode: 600 }, why: "Expected <=599" },
  { what: "a body that is not text", result: { statusCode: 200, body: {} }, why: "Expected string" },
  {
    what: "a header that would begin another",
    result: { statusCode: 200, headers: { a: "b\r\nc: d" } },
    why: "Invalid character",
  },
])("$what is refused", ({ result, why }) => {
  expect(() => toAnswer(result)).toThrow(why);
});
