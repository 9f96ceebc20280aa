import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { type Serving, serve } from "../../../../tools/local/loopback.ts";
import { smoke, smokeOf } from "../../../../tools/scripts/deploy/smoke.ts";

const right: Readonly<Record<string, readonly [status: number, body: unknown]>> = {
  "/health": [200, { status: "ok", version: "2.0.0+3f2a9c1d4e5f" }],
  "/explore": [200, "<html>"],
  "/odis/v1/communities/1": [404, { code: "not_found" }],
  "/odis/v1/me/data": [401, { code: "invalid_token" }],
};

let served: Serving;
let answers = right;
let requests = 0;
beforeAll(async () => {
  served = await serve({ port: 0, maxBodyBytes: 0 }, async ({ target }) => {
    requests++;
    const [status, body] = answers[target] ?? [404, {}];
    return { status, headers: [], body: JSON.stringify(body) };
  });
});
afterAll(() => served.close());
beforeEach(() => {
  answers = right;
  requests = 0;
});

const expected = { version: "2.0.0+3f2a9c1d4e5f" };

it("the smoke test finds no problem with a healthy stack", async () => {
  expect(await smoke(served.url, expected)).toEqual([]);
  expect(requests).toBe(4);
});

it.each([
  ["/health", [200, { version: "1.0.0" }], 'returned 200, {"version":"1.0.0"}'],
  ["/health", [200, { version: "2.0.0+000000000000" }], 'returned 200, {"version":"2.0.0+000000000000"}'],
  ["/health", [503, { message: "Service Unavailable" }], 'returned 503, {"message":"Service Unavailable"}'],
  ["/explore", [403, {}], "returned 403, {}"],
  ["/odis/v1/communities/1", [500, { code: "internal_error" }], 'returned 500, {"code":"internal_error"}'],
  ["/odis/v1/communities/1", [404, { code: "route_not_found" }], 'returned 404, {"code":"route_not_found"}'],
  ["/odis/v1/me/data", [200, { code: "invalid_token" }], 'returned 200, {"code":"invalid_token"}'],
] as const)("the smoke test reports the response of %s %j", async (path, answer, wrong) => {
  answers = { ...right, [path]: answer };
  expect(await smoke(served.url, expected)).toEqual([`${served.url}${path} ${wrong}`]);
});

it("the smoke test accepts any version by default", async () => {
  answers = { ...right, "/health": [200, { version: "1.0.0" }] };
  expect(await smoke(served.url)).toEqual([]);
});

const templateWith = (ActionsEnabled: boolean, Value = expected.version) =>
  JSON.stringify({
    Resources: { Alarm: { Type: "AWS::CloudWatch::Alarm", Properties: { ActionsEnabled } } },
    Outputs: { Version: { Value } },
  });

it("the smoke test of a template expects its version", async () => {
  expect(await smokeOf(templateWith(true), served.url)).toEqual([]);
  expect(await smokeOf(templateWith(true, "1.0.0"), served.url)).toEqual([
    expect.stringContaining("/health returned 200") as string,
  ]);
});

it("the smoke test of a template that begins or continues maintenance requests nothing", async () => {
  expect(await smokeOf(templateWith(false), served.url)).toBeUndefined();
  expect(requests).toBe(0);
});

it("the smoke test retries up to the given number of attempts", async () => {
  answers = {};
  expect(await smoke(served.url, { attempts: 3 })).toHaveLength(4);
  expect(requests).toBe(12);
});

it("the smoke test reports that a missing stack does not respond", async () => {
  expect(await smoke("http://127.0.0.1:1", expected)).toEqual(
    Object.keys(right).map((path) => expect.stringContaining(`http://127.0.0.1:1${path} does not respond: `) as string),
  );
});
