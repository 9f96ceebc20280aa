import { expect, it } from "vitest";
import { newApiKey, parseApiKey } from "#lib/auth/api-key.ts";
import { machine } from "#lib/runtime.ts";

const id = 245_942_650_343_083;
const { key, secret_hash, hint } = newApiKey(id, machine);
const codeOf = (token: string) => {
  try {
    return parseApiKey(token).apiKeyId;
  } catch (error) {
    return (error as { code: string; message: string }).message;
  }
};
const altered = "The API key is incomplete or was altered";

it("a new API key has the documented format, and its hint is its last four characters", () => {
  expect(key).toMatch(/^odis_local_[0-9A-Za-z]{1,9}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  expect(hint).toBe(key.slice(-4));
});

it("a parsed API key has its id and its hash, and stands for no user", () => {
  expect(parseApiKey(key)).toEqual({ apiKeyId: id, secretHash: secret_hash, sub: `api_key ${secret_hash}` });
});

it("the highest and the lowest id can be parsed", () => {
  for (const extreme of [1, Number.MAX_SAFE_INTEGER]) expect(codeOf(newApiKey(extreme, machine).key)).toBe(extreme);
});

it("every single altered or missing character of an API key is detected without a read", () => {
  for (let at = "odis_".length; at < key.length; at++) {
    expect(codeOf(key.slice(0, at) + (key[at] === "A" ? "B" : "A") + key.slice(at + 1))).toBe(altered);
    expect(codeOf(key.slice(0, at) + key.slice(at + 1))).toBe(altered);
  }
});

it.each(["odis_", "odis_local", `${key}A`, `${key}\n`, key.replace("_local_", "__"), `odis_local_${"a".repeat(500)}`])(
  "a malformed API key is refused: %s",
  (token) => expect(codeOf(token)).toBe(altered),
);

it("an API key of another stage is refused", () => {
  const ours = process.env.METRICS_NAMESPACE;
  process.env.METRICS_NAMESPACE = "odis-prod";
  const other = newApiKey(id, machine).key;
  if (ours === undefined) delete process.env.METRICS_NAMESPACE;
  else process.env.METRICS_NAMESPACE = ours;
  expect(codeOf(other)).toBe("The API key belongs to another stage of Odis");
});

it("two API keys with the same id have different secrets", () => {
  expect(newApiKey(id, machine).key).not.toBe(key);
});
