import { beforeAll, expect, it, vi } from "vitest";
import { addressOf } from "#lib/verified-address.ts";
import { type Cognito, startCognito } from "../../tools/local/cognito.ts";
import { password } from "../../tools/local/users.ts";

const pool = { region: "eu-central-1", poolId: "eu-central-1_Addresses", clientId: "addresses" };

let cognito: Cognito;
beforeAll(async () => {
  cognito = await startCognito({ ...pool, preTokenGeneration: async (event) => event });
  vi.stubEnv("AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER", cognito.url);
  vi.stubEnv("USER_POOL_ID", pool.poolId);
});

const account = (username: string, over = {}) =>
  cognito.addUser({ username, sub: username, email: `${username}@example.com`, password, ...over });

it("the address of a caller is the verified one that the user pool has now", async () => {
  await account("ana");
  expect(await addressOf({ sub: "ana" })).toBe("ana@example.com");
  await account("ana", { email: "ruiz@example.com" });
  expect(await addressOf({ sub: "ana" })).toBe("ruiz@example.com");
});

it("a caller without a verified address or without an account has no address", async () => {
  await account("bea", { email_verified: false });
  expect(await addressOf({ sub: "bea" })).toBeUndefined();
  expect(await addressOf({ sub: "nobody" })).toBeUndefined();
});

it("a user pool that cannot be reached is unavailable", async () => {
  await cognito.close();
  await expect(addressOf({ sub: "ana" })).rejects.toMatchObject({ code: "unavailable", status: 503 });
});
