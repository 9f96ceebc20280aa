import { request } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { startGateway } from "../../../tools/local/gateway.ts";
import type { Serving } from "../../../tools/local/loopback.ts";

const open: Serving[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

type Options = Parameters<typeof startGateway<{ key: string; id?: string }>>[0];

/** A gateway whose function returns its event. */
async function gateway(changes: Partial<Options> = {}): Promise<string> {
  const serving = await startGateway({
    port: 0,
    routes: [{ key: "GET /pets/{id}", id: "PetsShow" }, { key: "$default" }],
    invoke: async (_route, event) => event,
    ...changes,
  });
  open.push(serving);
  return serving.url;
}

test("the gateway passes the event to the function and the response to the caller", async () => {
  const url = await gateway();
  const answer = await fetch(`${url}/pets/7?a=1`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("apigw-requestid")).toMatch(/^[\w+/]{15}=$/);
  expect(await answer.json()).toMatchObject({
    routeKey: "GET /pets/{id}",
    pathParameters: { id: "7" },
    queryStringParameters: { a: "1" },
    headers: { host: new URL(url).host },
    requestContext: {
      http: { sourceIp: "127.0.0.1", method: "GET" },
      requestId: answer.headers.get("apigw-requestid"),
    },
  });
});

test("the context of a function has its name and its remaining time", async () => {
  const url = await gateway({
    invoke: async (_route, _event, { functionName, awsRequestId, getRemainingTimeInMillis }) => ({
      functionName,
      awsRequestId,
      isInTime: getRemainingTimeInMillis() > 0 && getRemainingTimeInMillis() <= 10_000,
    }),
  });
  expect(await (await fetch(`${url}/pets/7`)).json()).toEqual({
    functionName: "PetsShow",
    awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    isInTime: true,
  });
});

test("each cookie of a response is a separate header", async () => {
  const url = await gateway({ invoke: async () => ({ statusCode: 204, cookies: ["a=1", "b=2"] }) });
  expect((await fetch(url)).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
});

describe("responses of the gateway itself", () => {
  const ownAnswer = async (answer: Response) => [answer.status, await answer.json()];

  test("the gateway returns 500 if a function throws, and reports the reason", async () => {
    const failures: unknown[] = [];
    const failure = new URIError("the function's own");
    const url = await gateway({ invoke: () => Promise.reject(failure), report: (told) => failures.push(told) });
    expect(await ownAnswer(await fetch(url))).toEqual([500, { message: "Internal Server Error" }]);
    expect(failures).toEqual([failure]);
  });

  test("the gateway returns 500 if a result is not a response", async () => {
    const url = await gateway({ invoke: async () => ({ statusCode: "abc" }), report: () => {} });
    expect(await ownAnswer(await fetch(url))).toEqual([500, { message: "Internal Server Error" }]);
  });

  test("the gateway returns 413 for a body of more than 10 MB and accepts one of 10 MB", async () => {
    const url = await gateway({ invoke: async (_route, { body = "" }) => body.length });
    const send = (bytes: number) =>
      fetch(url, { method: "POST", headers: { "content-type": "text/plain" }, body: Buffer.alloc(bytes, "x") });
    expect(await ownAnswer(await send(10_485_761))).toEqual([413, { message: "Request Entity Too Large" }]);
    expect(await ownAnswer(await send(10_485_760))).toEqual([200, 10_485_760]);
  });

  test("the gateway returns 431 for headers of more than 10 KB", async () => {
    const url = await gateway();
    expect((await fetch(url, { headers: { a: "x".repeat(10_240) } })).status).toBe(431);
  });

  test("the gateway returns 400 for a malformed path", async () => {
    const url = await gateway();
    expect(await ownAnswer(await fetch(`${url}/pets/%E9`))).toEqual([400, { message: "Bad Request" }]);
  });

  test("the gateway returns 404 without a matching route", async () => {
    const url = await gateway({ routes: [{ key: "GET /pets" }] });
    expect(await ownAnswer(await fetch(url))).toEqual([404, { message: "Not Found" }]);
  });
});

describe("CORS", () => {
  const cors = {
    allowOrigins: ["https://app.example.com"],
    allowHeaders: ["authorization", "content-type"],
    exposeHeaders: ["etag"],
    allowMethods: ["GET", "PATCH"],
  };
  const corsHeaders = ({ headers }: Response) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control-")));
  const invoke = async () => ({ statusCode: 200, headers: { "access-control-allow-origin": "https://evil.example" } });

  /** Sends a preflight like a browser. `fetch` does not allow these headers to be set. */
  const preflight = (url: string, origin: string) =>
    new Promise<{ status: number | undefined; headers: Record<string, unknown> }>((resolve, reject) => {
      request(
        `${url}/pets/7`,
        { method: "OPTIONS", headers: { origin, "access-control-request-method": "PATCH" } },
        (answer) => {
          answer.resume();
          const headers = Object.entries(answer.headers).filter(([name]) => name.startsWith("access-control-"));
          resolve({ status: answer.statusCode, headers: Object.fromEntries(headers) });
        },
      )
        .once("error", reject)
        .end();
    });

  test("the gateway responds to a preflight of an allowed origin without a function", async () => {
    const url = await gateway({ cors, invoke: () => Promise.reject(new Error("not for a function")) });
    expect(await preflight(url, "https://app.example.com")).toEqual({
      status: 204,
      headers: {
        "access-control-allow-origin": "https://app.example.com",
        "access-control-allow-methods": "GET,PATCH",
        "access-control-allow-headers": "authorization,content-type",
      },
    });
  });

  test("the response to a preflight of a foreign origin allows nothing", async () => {
    const url = await gateway({ cors });
    expect(await preflight(url, "https://app.example.com.evil.example")).toEqual({ status: 204, headers: {} });
  });

  test.each([
    { allowOrigins: ["*"], allowed: "*" },
    { allowOrigins: ["https://*"], allowed: "https://app.example.com" },
    { allowOrigins: ["http://*"], allowed: undefined },
  ])("$allowOrigins allows https://app.example.com as $allowed", async ({ allowOrigins, allowed }) => {
    const url = await gateway({ cors: { ...cors, allowOrigins } });
    const { headers } = await preflight(url, "https://app.example.com");
    expect(headers["access-control-allow-origin"]).toBe(allowed);
  });

  test("a response to an allowed origin has the gateway's CORS headers instead of the function's", async () => {
    const url = await gateway({ cors, invoke });
    const answer = await fetch(`${url}/pets/7`, { headers: { origin: "https://app.example.com" } });
    expect(corsHeaders(answer)).toEqual({
      "access-control-allow-origin": "https://app.example.com",
      "access-control-expose-headers": "etag",
    });
    expect(corsHeaders(await fetch(`${url}/pets/7`))).toEqual({});
  });

  test("without a configuration the gateway adds nothing, and OPTIONS is a request like any other", async () => {
    const url = await gateway();
    expect(corsHeaders(await fetch(`${url}/pets/7`, { headers: { origin: "https://app.example.com" } }))).toEqual({});
    expect(await (await fetch(url, { method: "OPTIONS" })).json()).toMatchObject({ routeKey: "$default" });
  });
});

test("a closing gateway completes its accepted requests", async () => {
  const begun = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<string>();
  const serving = await startGateway({
    port: 0,
    routes: [{ key: "$default" }],
    invoke: () => {
      begun.resolve();
      return finish.promise;
    },
  });
  const answer = fetch(serving.url);
  await begun.promise;
  const closing = serving.close();
  finish.resolve("done");
  expect(await (await answer).text()).toBe("done");
  await closing;
  await expect(fetch(serving.url)).rejects.toThrow("fetch failed");
});
