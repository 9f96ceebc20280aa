import { afterEach, expect, it, vi } from "vitest";
import { env, isSet } from "#lib/env.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

it("an environment variable is parsed by its schema", () => {
  vi.stubEnv("TABLE_NAME", "odis");
  vi.stubEnv("REDIRECT_ORIGINS", "https://a.example,http://127.0.0.1:3000,http://localhost:*");
  vi.stubEnv("JWKS", '{"keys":[{"kty":"RSA","kid":"1"}]}');
  expect(env("TABLE_NAME")).toBe("odis");
  expect(env("REDIRECT_ORIGINS")).toEqual(["https://a.example", "http://127.0.0.1:3000", "http://localhost:*"]);
  expect(env("JWKS")).toEqual({ keys: [{ kty: "RSA", kid: "1" }] });
});

it("an empty environment variable counts as missing", () => {
  for (const name of ["TABLE_NAME", "JWKS", "REDIRECT_ORIGINS", "THROTTLE", "METRICS_NAMESPACE"]) vi.stubEnv(name, "");
  expect(isSet("TABLE_NAME")).toBe(false);
  expect(() => env("TABLE_NAME")).toThrow("Missing environment variable TABLE_NAME");
  expect(env("JWKS")).toBeUndefined();
  expect(env("REDIRECT_ORIGINS")).toEqual([]);
  expect(env("THROTTLE")).toBe("on");
  expect(env("METRICS_NAMESPACE")).toBe("odis-local");
  expect(env("EPOCH")).toBe(0);
});

it.each([
  ["THROTTLE", "yes", "must be on or off"],
  ["EPOCH", "-1", "must be a whole number"],
  ["EPOCH", "1e3", "must be a whole number"],
  ["EPOCH", "9001", "is too high"],
  ["STRIPE_API_BASE", "secret-host", "must be a URL"],
  ["REDIRECT_ORIGINS", "https://a.example,secret", "must be a URL"],
  ["REDIRECT_ORIGINS", "https://*,secret:*", "must be a URL"],
  ["JWKS", "secret", "must be JSON"],
  ["JWKS", '"secret"', "must have keys"],
  ["JWKS", '{"keys":"secret"}', "must have keys"],
  ["JWKS", '{"keys":[{"kty":0,"d":"secret"}]}', "must have keys"],
] as const)("the error for a malformed %s contains its name but not its value: %s", (name, value, problem) => {
  vi.stubEnv(name, value);
  expect(() => env(name)).toThrow(new Error(`Malformed environment variable ${name}: ${problem}`));
});

it("an unknown LOG_LEVEL counts as the default, so that it fails no request", () => {
  vi.stubEnv("LOG_LEVEL", "verbose");
  expect(env("LOG_LEVEL")).toBe("info");
});

it("an environment variable is parsed again only if it has changed", () => {
  vi.stubEnv("JWKS", '{"keys":[]}');
  const first = env("JWKS");
  expect(env("JWKS")).toBe(first);
  vi.stubEnv("JWKS", '{"keys":[{"kty":"RSA"}]}');
  expect(env("JWKS")).toEqual({ keys: [{ kty: "RSA" }] });
});
