import { expect, test } from "vitest";
import { toEvent } from "../../../tools/local/gateway/event.ts";
import type { Header, HttpRequest } from "../../../tools/local/loopback.ts";

const at = new Date("2020-03-12T19:03:58.390Z");

/** The request of the example in AWS's documentation, with changes. */
const request = (changes: Partial<HttpRequest> = {}): HttpRequest => ({
  method: "POST",
  target: "/my/path?parameter1=value1&parameter1=value2&parameter2=value",
  protocol: "HTTP/1.1",
  headers: [
    ["Host", "id.execute-api.us-east-1.amazonaws.com"],
    ["User-Agent", "agent"],
    ["Cookie", "cookie1; cookie2"],
    ["Header1", "value1"],
    ["Header2", "value1"],
    ["header2", "value2"],
    ["Content-Type", "text/plain"],
  ],
  body: Buffer.from("Hello from Lambda"),
  sourceIp: "IP",
  ...changes,
});

const eventOf = (changes: Partial<HttpRequest>, params: Record<string, string> = {}) =>
  toEvent(request(changes), { route: { key: "$default" }, params }, { requestId: "id", at });

test("the event matches the example in AWS's documentation", () => {
  expect(eventOf({}, { parameter1: "value1" })).toEqual({
    version: "2.0",
    routeKey: "$default",
    rawPath: "/my/path",
    rawQueryString: "parameter1=value1&parameter1=value2&parameter2=value",
    cookies: ["cookie1", "cookie2"],
    headers: {
      "content-length": "17",
      "content-type": "text/plain",
      header1: "value1",
      header2: "value1,value2",
      host: "id.execute-api.us-east-1.amazonaws.com",
      "user-agent": "agent",
      "x-forwarded-for": "IP",
      "x-forwarded-port": "80",
      "x-forwarded-proto": "http",
    },
    queryStringParameters: { parameter1: "value1,value2", parameter2: "value" },
    requestContext: {
      accountId: "000000000000",
      apiId: "local",
      domainName: "id.execute-api.us-east-1.amazonaws.com",
      domainPrefix: "id",
      http: { method: "POST", path: "/my/path", protocol: "HTTP/1.1", sourceIp: "IP", userAgent: "agent" },
      requestId: "id",
      routeKey: "$default",
      stage: "$default",
      time: "12/Mar/2020:19:03:58 +0000",
      timeEpoch: at.getTime(),
    },
    body: "Hello from Lambda",
    pathParameters: { parameter1: "value1" },
    isBase64Encoded: false,
  });
});

test("absent parts of a request are absent in the event instead of empty", () => {
  const event = eventOf({ target: "/", headers: [], body: Buffer.alloc(0) });
  expect(event).toMatchObject({ rawQueryString: "", isBase64Encoded: false });
  expect(Object.keys(event).toSorted((a, b) => a.localeCompare(b))).toEqual([
    "headers",
    "isBase64Encoded",
    "rawPath",
    "rawQueryString",
    "requestContext",
    "routeKey",
    "version",
  ]);
});

test("the path and the query parameters are decoded, and the query string is not", () => {
  expect(eventOf({ target: "/caf%C3%A9/a%20b?q=a%20b+c%26&empty&q=%C3%A9" })).toMatchObject({
    rawPath: "/café/a b",
    rawQueryString: "q=a%20b+c%26&empty&q=%C3%A9",
    queryStringParameters: { q: "a b c&,é", empty: "" },
  });
});

test("headers of the connection are removed, and the caller's address is added", () => {
  const headers: Header[] = [
    ["Host", "127.0.0.1:3000"],
    ["Connection", "keep-alive"],
    ["Transfer-Encoding", "chunked"],
    ["X-Forwarded-For", "10.0.0.1"],
    ["Authorization", "Bearer a.b.c"],
  ];
  expect(eventOf({ headers, body: Buffer.alloc(0) }).headers).toEqual({
    authorization: "Bearer a.b.c",
    "content-length": "0",
    host: "127.0.0.1:3000",
    "x-forwarded-for": "10.0.0.1, IP",
    "x-forwarded-port": "3000",
    "x-forwarded-proto": "http",
  });
});

test.each([
  ["text/plain", false],
  ["text/csv", false],
  ["text/plain; charset=UTF-8", false],
  ["text/plain; charset=iso-8859-1", true],
  ["application/json", false],
  ["application/json;charset=utf-8", false],
  ["APPLICATION/JSON", false],
  ["application/xml", false],
  ["application/javascript", false],
  ["application/problem+json", true],
  ["application/x-www-form-urlencoded", true],
  ["application/octet-stream", true],
  ["multipart/form-data; boundary=x", true],
  [undefined, true],
])("a body of type %s is base64: %s", (type, isBase64Encoded) => {
  const headers: Header[] = type === undefined ? [] : [["content-type", type]];
  const body = isBase64Encoded ? Buffer.from('{"é":1}').toString("base64") : '{"é":1}';
  expect(eventOf({ headers, body: Buffer.from('{"é":1}') })).toMatchObject({ body, isBase64Encoded });
});
