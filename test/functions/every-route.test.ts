import { generateKeyPairSync, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { PlacedRoute } from "#lib/contract/index.ts";
import { type As, admin, apiRoutes, pathOf, startApi } from "../support/api.ts";
import { rawRequests } from "../support/raw.ts";

const send = rawRequests(startApi());

/** A path of the route with every id the same. */
const filled = (route: PlacedRoute, id = unknownId(route)): string =>
  pathOf(route, Object.fromEntries(Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => [name, id])));

const unknownId = ({ ids }: PlacedRoute): string =>
  ids === "uuid" ? "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7aff" : "987654321";

const ask = ({ method }: PlacedRoute, path: string, more: { as?: As; headers?: Record<string, string> } = {}) =>
  send({ method, path, ...more });

/** The challenge of a 401, under the name that API Gateway gives it. The emulator of the deployed tests does not rename it. */
const challengeOf = (headers: Headers) =>
  headers.get("x-amzn-remapped-www-authenticate") ?? headers.get("www-authenticate");

const routesWhere = (is: (route: PlacedRoute) => boolean) => apiRoutes.filter(is).map((route) => ({ ...route, route }));

describe.each(routesWhere(({ access }) => access !== "public" && access !== "optional"))("$key", ({ route }) => {
  it("a caller without a token gets 401 with WWW-Authenticate", async () => {
    const { status, code, headers, body } = await ask(route, filled(route));
    expect({ status, code }).toEqual({ status: 401, code: "missing_token" });
    expect(challengeOf(headers)).toBe('Bearer realm="odis"');
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(body).toMatchObject({ request_id: headers.get("x-request-id") });
  });
});

describe.each(routesWhere(({ access }) => access !== "public"))("$key", ({ route }) => {
  it.each(["Bearer nonsense", "Basic dXNlcjpwYXNz", "Bearer a.b.c", `Bearer ${forged()}`])(
    "an invalid token gets 401 and WWW-Authenticate: %s",
    async (authorization) => {
      const { status, code, headers } = await ask(route, filled(route), { headers: { authorization } });
      expect({ status, code }).toEqual({ status: 401, code: "invalid_token" });
      expect(challengeOf(headers)).toContain('error="invalid_token"');
    },
  );
});

describe.each(routesWhere(({ access }) => access === "admin" || access === "editor"))("$key", ({ route }) => {
  it("a user without the required group gets 403", async () => {
    const { status, code } = await ask(route, filled(route), { as: { id: 50 } });
    expect({ status, code }).toEqual({ status: 403, code: "forbidden" });
  });
});

describe.each(routesWhere(({ path }) => path.includes("{")))("$key", ({ route }) => {
  it.each(["0", "-1", "1.5", "abc", "%20", "9007199254740992", "%D9%A1", "1e3"])(
    "an id of the wrong format gets 404: %s",
    async (id) => {
      const { status, code } = await ask(route, filled(route, id), { as: admin });
      expect({ status, code }).toEqual({ status: 404, code: "not_found" });
    },
  );
});

describe.each(routesWhere(({ path, ids }) => path.includes("{") && ids !== "uuid"))("$key", ({ route }) => {
  it("a missing record gets 404", async () => {
    const { status, code } = await ask(route, filled(route), { as: admin });
    expect({ status, code }).toEqual({ status: 404, code: "not_found" });
  });
});

/** A token with valid claims and the signature of another key. */
function forged(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const now = Math.floor(Date.now() / 1000);
  const claims = { token_use: "access", exp: now + 3600, iat: now, sub: "x", "cognito:groups": ["admin"] };
  const text = [{ alg: "RS256", kid: "mine" }, claims].map((part) => encode(JSON.stringify(part))).join(".");
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64url");
}
