import { expect, test } from "vitest";
import { toAnswer } from "../../../tools/local/gateway/answer.ts";

test.each([
  { result: "Hello from Lambda!", body: "Hello from Lambda!" },
  { result: { message: "Hello from Lambda!" }, body: '{"message":"Hello from Lambda!"}' },
  { result: [1, 2], body: "[1,2]" },
  { result: undefined, body: "null" },
])("a result without a status code becomes a 200 with the body $body", ({ result, body }) => {
  expect(toAnswer(result)).toEqual({ status: 200, headers: [["content-type", "application/json"]], body });
});

test("a response keeps status, headers, cookies and body of the result", () => {
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

test("a challenge gets the name that API Gateway gives it", () => {
  const { headers } = toAnswer({ statusCode: 401, headers: { "www-authenticate": "Bearer" } });
  expect(headers).toEqual([["x-amzn-remapped-www-authenticate", "Bearer"]]);
});

test("a base64 body is decoded", () => {
  const { body } = toAnswer({ statusCode: 200, body: "AP8=", isBase64Encoded: true });
  expect(body).toEqual(Buffer.from([0, 255]));
});

test("a body without a content type is text, and an empty body has none", () => {
  expect(toAnswer({ statusCode: 200, body: "x" }).headers).toEqual([["content-type", "text/plain; charset=utf-8"]]);
  expect(toAnswer({ statusCode: 204 })).toEqual({ status: 204, headers: [], body: "" });
});

test.each([
  { part: "a status code that is text", result: { statusCode: "200" }, why: "Expected number" },
  { part: "a status code that HTTP does not have", result: { statusCode: 600 }, why: "Expected <=599" },
  { part: "a body that is not text", result: { statusCode: 200, body: {} }, why: "Expected string" },
  {
    part: "a header that would begin another",
    result: { statusCode: 200, headers: { a: "b\r\nc: d" } },
    why: "Invalid character",
  },
])("a result with $part is refused", ({ result, why }) => {
  expect(() => toAnswer(result)).toThrow(why);
});
