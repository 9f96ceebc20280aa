import { describe, expect, test } from "vitest";
import { matchRoute } from "../../../tools/local/gateway/match.ts";

const routesOf = (...keys: string[]) => keys.map((key) => ({ key }));

describe("the routes of AWS's example", () => {
  const routes = routesOf("$default", "ANY /{proxy+}", "GET /pets/{proxy+}", "GET /pets/dog/{id}", "GET /pets/dog/1");

  test.each([
    { method: "GET", path: "/pets/dog/1", key: "GET /pets/dog/1", params: {} },
    { method: "GET", path: "/pets/dog/2", key: "GET /pets/dog/{id}", params: { id: "2" } },
    { method: "GET", path: "/pets/cat/1", key: "GET /pets/{proxy+}", params: { proxy: "cat/1" } },
    { method: "POST", path: "/test/5", key: "ANY /{proxy+}", params: { proxy: "test/5" } },
  ])("$method $path matches the route $key", ({ method, path, key, params }) => {
    expect(matchRoute(routes, method, path)).toMatchObject({ route: { key }, params });
  });
});

describe("a route", () => {
  const routes = routesOf("GET /a/{b}", "ANY /a/{b}", "GET /a/{b}/c", "GET /{a}/fixed", "$default");

  test.each([
    { method: "GET", path: "/a/1", key: "GET /a/{b}", why: "a method goes before ANY" },
    { method: "PUT", path: "/a/1", key: "ANY /a/{b}", why: "ANY takes the methods that have no route" },
    { method: "GET", path: "/a/fixed", key: "GET /a/{b}", why: "fixed text counts from the left" },
    { method: "GET", path: "/A/1", key: "$default", why: "letter case counts" },
    { method: "GET", path: "/a/1/", key: "$default", why: "a slash at the end counts" },
    { method: "GET", path: "/a/", key: "$default", why: "a variable is never empty" },
    { method: "GET", path: "/a/1/c/d", key: "$default", why: "a variable is one segment" },
    { method: "HEAD", path: "/a/1/c", key: "$default", why: "HEAD is not GET" },
  ])("the request $method $path matches the route $key: $why", ({ method, path, key }) => {
    expect(matchRoute(routes, method, path)?.route).toEqual({ key });
  });

  test("path parameters are decoded, and an escaped slash stays in its segment", () => {
    expect(matchRoute(routes, "GET", "/a/caf%C3%A9%2F1%20%2B")?.params).toEqual({ b: "café/1 +" });
  });
});

test("a request without a matching route has no match if there is no $default", () => {
  expect(matchRoute(routesOf("GET /a"), "GET", "/b")).toBeUndefined();
});
