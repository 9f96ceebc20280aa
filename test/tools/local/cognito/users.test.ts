import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openDirectory } from "../../../../tools/local/cognito/users.ts";
import { temporaryFolder } from "../../../support/set-up.ts";

const pool = "eu-central-1_Test";
const anna = { username: "anna", password: "Annas-password-1", email: "anna@example.com" };

const folder = temporaryFolder();

it("users in a file exist at the next start with the same sub, and the file has no plain passwords", async () => {
  const file = join(folder, "not/yet/there/users.json");
  const { sub } = openDirectory(pool, file).add(anna);
  expect(await readFile(file, "utf8")).not.toContain(anna.password);

  const next = openDirectory(pool, file);
  const found = next.named("ANNA@example.com");
  expect(found).toMatchObject({ sub, username: "anna" });
  expect(next.add({ ...anna, password: "Annas-password-2" })).toMatchObject({ sub });
  const again = openDirectory(pool, file);
  const user = again.find(sub);
  expect(user && again.hasPassword(user, anna.password)).toBe(false);
  expect(user && again.hasPassword(user, "Annas-password-2")).toBe(true);
});

it("a file of an earlier version with password hashes is opened without its users", async () => {
  const file = join(folder, "users.json");
  const earlier = {
    sub: "s",
    username: "otto",
    email: "otto@example.com",
    groups: [],
    salt: "c2FsdA==",
    hash: "aGFzaA==",
  };
  await writeFile(file, JSON.stringify([earlier]));
  expect(openDirectory(pool, file).find("otto")).toBeUndefined();
});
