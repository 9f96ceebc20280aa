import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useProfile } from "../../../tools/scripts/aws-profile.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();

beforeEach(async () => {
  await writeFile(join(folder, "config"), "[profile operator]\nregion = eu-west-3\n");
  await writeFile(
    join(folder, "credentials"),
    "[operator]\naws_access_key_id = AKIAOPERATOR\naws_secret_access_key = secret\naws_session_token = token\n",
  );
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "config"));
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", join(folder, "credentials"));
});
afterEach(() => vi.unstubAllEnvs());

const names = ["AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];
const environment = () => names.map((name) => process.env[name]);

it("Operators' scripts use the credentials and the region of AWS_PROFILE", async () => {
  vi.stubEnv("AWS_PROFILE", "operator");
  for (const name of names) vi.stubEnv(name, undefined);
  await useProfile();
  expect(environment()).toEqual(["eu-west-3", "AKIAOPERATOR", "secret", "token"]);
});

it("Operators' scripts do not store credentials that expire, so that clients renew them", async () => {
  const expiring = { Version: 1, AccessKeyId: "ASIA1", SecretAccessKey: "secret", Expiration: "2099-01-01T00:00:00Z" };
  await writeFile(join(folder, "process.json"), JSON.stringify(expiring));
  const lines = [
    "[profile expiring]",
    "region = eu-west-3",
    `credential_process = cat ${join(folder, "process.json")}`,
  ];
  // The SDK reads each file once.
  await writeFile(join(folder, "expiring"), `${lines.join("\n")}\n`);
  vi.stubEnv("AWS_CONFIG_FILE", join(folder, "expiring"));
  vi.stubEnv("AWS_PROFILE", "expiring");
  for (const name of names) vi.stubEnv(name, undefined);
  await useProfile();
  expect(environment()).toEqual(["eu-west-3", undefined, undefined, undefined]);
});

it("Operators' scripts prefer the credentials and the region of the environment", async () => {
  await useProfile();
  expect(environment()).toEqual(["eu-central-1", "test", "test", undefined]);
});

it("Operators' scripts fail without credentials", async () => {
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/none");
  for (const name of names) vi.stubEnv(name, undefined);
  await expect(useProfile()).rejects.toThrow("Could not load credentials");
});
