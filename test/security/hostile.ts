import type { PlacedRoute } from "#lib/contract/index.ts";
import type { Chance } from "../simulation/chance.ts";
import { pathOf } from "../support/api.ts";

/** The material of hostile requests: valid values to alter, and ids of existing records. */
export type Material = {
  readonly routes: readonly PlacedRoute[];
  /** The `Authorization` of an admin, who may call every route. */
  readonly admin: string;
  /**
   * Valid `Authorization` headers, and tokens that are signed with the pool's key but have claims that Cognito does not
   * issue.
   */
  readonly authorizations: readonly string[];
  readonly cursors: readonly string[];
  readonly etags: readonly string[];
  readonly ids: Readonly<Record<string, readonly (string | number)[]>>;
};

export type HostileRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
};

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Texts that break parsers, with bytes that are allowed in a header. */
const texts = [
  "",
  " ",
  "\t",
  "*",
  '""',
  '"',
  'W/"',
  "null",
  "undefined",
  "NaN",
  "-1",
  "0",
  "1e400",
  "9007199254740993",
  "true",
  "{}",
  "[]",
  "__proto__",
  "constructor",
  "toString",
  "../../etc/passwd",
  "%00",
  "%ff%fe",
  "%0d%0aset-cookie: a=b",
  "<script>alert(1)</script>",
  "' OR 1=1 --",
  "\u0080\u00FF",
  "a,b,,c",
  ";q=0;q=1",
  "=".repeat(300),
  ".".repeat(600),
  ",".repeat(1_000),
  '"a",'.repeat(300),
  "x".repeat(3_000),
];

const headerNames = [
  "accept",
  "accept-encoding",
  "accept-language",
  "content-encoding",
  "content-type",
  "cookie",
  "forwarded",
  "idempotency-key",
  "if-match",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "origin",
  "range",
  "referer",
  "stripe-signature",
  "traceparent",
  "user-agent",
  "x-amzn-trace-id",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-http-method-override",
  "x-request-id",
];

const queryNames = ["per", "page", "query", "status", "tier_id", "is_blocked", "sort", "filter", "cursor", "other"];

const bodies = ["", "{}", "[]", "null", "{", '{"dry_run":true}', '{"member":{}}', '{"a":1}', '{"__proto__":{"a":1}}'];

/** Generates one request, which depends only on `chance`. */
export function hostileRequest(chance: Chance, material: Material): HostileRequest {
  const pick = <T>(from: readonly T[]): T => chance.pick(from) as T;

  const noise = () =>
    Array.from({ length: chance.integer(0, 60) }, () => String.fromCharCode(chance.integer(0x20, 0x7e))).join("");
  const bytes = () => Buffer.from(Array.from({ length: chance.integer(0, 60) }, () => chance.integer(0, 255)));
  const text = () => (chance.is(0.5) ? pick(texts) : noise());

  /**
   * Alters a value: flips bits, or removes, repeats or swaps parts. The result contains only characters that are
   * allowed in a header.
   */
  function altered(value: string): string {
    const at = chance.integer(0, value.length);
    const parts = value.split(".");
    switch (chance.integer(0, 5)) {
      case 0:
        return value.slice(0, at) + String.fromCharCode(chance.integer(0x21, 0x7e)) + value.slice(at + 1);
      case 1:
        return value.slice(0, at);
      case 2:
        return value.slice(0, at) + text() + value.slice(at);
      case 3:
        return chance.shuffle(parts).join(".");
      case 4:
        return parts.with(chance.integer(0, parts.length - 1), bytes().toString("base64url")).join(".");
      default:
        return `${value}${pick([" ", ",", ", ", ".", "=", ""])}${value}`.slice(0, 4_000);
    }
  }

  function authorization(): string | undefined {
    const right = pick(material.authorizations);
    const json = () =>
      base64url(pick<unknown>([null, [], "RS256", 7, {}, { alg: "none" }, { alg: "RS256", kid: text() }]));
    switch (chance.integer(0, 8)) {
      case 0:
        return undefined;
      case 1:
      case 2:
      case 3:
        return right;
      case 4:
        return altered(right);
      case 5:
        return `${pick(["Bearer ", "bearer  ", "Basic ", "DPoP ", "Bearer", ""])}${text()}`;
      case 6:
        return `Bearer ${json()}.${json()}.${bytes().toString("base64url")}`;
      case 7:
        return `Bearer ${right.split(/[ .]/)[1] ?? ""}.${json()}.${bytes().toString("base64url")}`;
      default:
        return `Bearer ${bytes().toString("base64")}`;
    }
  }

  function cursor(): string {
    const right = pick(material.cursors);
    const [, signature = ""] = right.split(".");
    return pick([
      () => right,
      () => altered(right),
      () => `${bytes().toString("base64url")}.${signature}`,
      () => `${base64url({ pk: text(), sk: text() })}.${signature}`,
      text,
    ])();
  }

  function search(route: PlacedRoute): string {
    const others = focus === "all" ? chance.integer(0, 2) : 0;
    const pairs = Array.from({ length: others }, () => {
      const value = chance.is(0.3)
        ? pick(["%", "%ff", "%00", "+", "1", "active", "%ud800"])
        : encodeURIComponent(text());
      return `${pick(queryNames)}=${value}`;
    });
    if (route.cursor) pairs.push(`cursor=${encodeURIComponent(cursor())}`);
    return pairs.length > 0 ? `?${pairs.join("&")}` : "";
  }

  // Other values are valid, so that requests pass the first checks.
  const focus = pick(["authorization", "headers", "cursor", "all"]);
  const isHostile = (part: string) => focus === part || focus === "all";
  const route = pick(focus === "cursor" ? material.routes.filter((one) => one.cursor) : material.routes);
  const idOf = (name: string) => pick(material.ids[name === "id" ? route.area : name] ?? [1]);
  const names = Array.from(route.path.matchAll(/\{(\w+)\}/g), ([, name = ""]) => name);
  const params = Object.fromEntries(names.map((name) => [name, focus === "all" && chance.is(0.1) ? 1 : idOf(name)]));

  const headers: Record<string, string> = {};
  if (isHostile("headers"))
    for (let n = chance.integer(1, 4); n > 0; n--)
      headers[pick(headerNames)] = chance.is(0.3) ? altered(pick(material.etags)) : text();
  const token = isHostile("authorization") ? authorization() : material.admin;
  const hasBody = route.method !== "GET";
  return {
    method: route.method,
    path: pathOf(route, params) + (isHostile("cursor") ? search(route) : ""),
    headers: {
      ...(hasBody && { "content-type": "application/json" }),
      // An ETag that never matches, so that the records are not deleted.
      ...(route.method === "DELETE" && { "if-match": '"none"' }),
      ...headers,
      ...(token !== undefined && { authorization: token }),
    },
    body: hasBody ? pick(bodies) : undefined,
  };
}
