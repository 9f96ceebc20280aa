import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  AdminCreateUserCommand,
  CognitoIdentityProviderClient,
  ListUsersCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import { keys } from "#lib/store/keys.ts";
import { newUser, profile } from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { type Cognito, startCognito } from "../../../tools/local/cognito.ts";
import { accountsInTable, importAccount, writeAccounts } from "../../../tools/scripts/pool-accounts.ts";
import { askCognito } from "../../support/cognito.ts";
import { setUp, temporaryFolder } from "../../support/set-up.ts";
import { openTable } from "../../support/table.ts";

const poolId = "eu-central-1_Test";
const password = "Correct-horse-1";
const folder = temporaryFolder();
const file = join(folder, "accounts.jsonl");
const test = setUp(() => openTable("odis-accounts"));
afterAll(() => test.close());

let cognito: Cognito;
let client: CognitoIdentityProviderClient;
beforeEach(async () => {
  cognito = await startCognito({
    poolId,
    clientId: "test1client",
    region: "eu-central-1",
    preTokenGeneration: async (event) => event,
  });
  client = new CognitoIdentityProviderClient({ endpoint: cognito.url });
});
afterEach(async () => {
  client.destroy();
  await cognito.close();
});

const statusOf = async (Username: string) =>
  (await askCognito(cognito, "AdminGetUser", { UserPoolId: poolId, Username })).body.UserStatus;
const person = (n: number) => ({ username: `u${n}`, sub: `u${n}`, email: `person${n}@example.com`, password });
const account = { email: "new@example.com", given_name: "Nadia", groups: ["editor"] };

const script = (name: string, ...args: readonly string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { ...process.env, AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito.url };
    execFile(process.execPath, [`tools/scripts/${name}.ts`, ...args], { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out: out.trim(), err }),
    );
  });

describe("the commands", () => {
  it("pool:export writes all pages of a pool to a file that only its owner can read, and pool:import reads it", async () => {
    for (let n = 0; n < 70; n++)
      await cognito.addUser({ ...person(n), ...(n === 69 && { given_name: "Nadia", groups: ["editor"] }) });
    await cognito.addUser({ ...person(70), status: "UNCONFIRMED" });
    expect((await script("pool-export", "--pool", poolId, "--out", file)).out).toMatch(/^70 accounts, 1 left out/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const lines = readFileSync(file, "utf8").trim().split("\n");
    expect(lines).toHaveLength(70);
    expect(JSON.parse(lines[69] ?? "")).toEqual({
      email: "person69@example.com",
      given_name: "Nadia",
      groups: ["editor"],
    });

    writeFileSync(file, `${[JSON.stringify(account), "{}", ...lines].join("\n")}\n`);
    const { code, out } = await script("pool-import", "--pool", poolId, "--from", file);
    expect(out).toMatch(/^line 2: Invalid key.*\n1 created, 70 already existed, 1 failed$/);
    expect(code).toBe(1);
  });

  it.each([
    ["the pool is gone", () => true],
    ["a later page fails", (token: string | undefined) => token !== undefined],
  ])("pool:export leaves an earlier file as it is if %s", async (_, isFailing) => {
    for (let n = 0; n < 70; n++) await cognito.addUser(person(n));
    writeFileSync(file, "last night");
    const failing = {
      send: (command: object) =>
        command instanceof ListUsersCommand && isFailing(command.input.PaginationToken)
          ? Promise.reject(new Error("failing"))
          : client.send(command as ListUsersCommand),
    } as CognitoIdentityProviderClient;
    const source = { cognito: failing, poolId, runtime: machine };
    await expect(writeAccounts(source, file, () => {})).rejects.toThrow("failing");
    expect(readFileSync(file, "utf8")).toBe("last night");
    expect(existsSync(`${file}.part`)).toBe(false);
  });

  it.each([
    ["pool-import", ["--pool", poolId], "Set either --from or --from-table"],
    ["pool-import", ["--pool", poolId, "--from", file, "--from-table"], "Set either --from or --from-table"],
    [
      "pool-import",
      ["--pool", poolId, "--from", file, "--since", "2026-11-21T05:00:00Z"],
      "--since requires --from-table",
    ],
    ["pool-export", ["--pool", poolId], "--pool requires --out"],
  ])("%s %j is refused as wrong usage: %s", async (name, args, reason) => {
    expect(await script(name, ...args)).toMatchObject({ code: 2, err: expect.stringContaining(reason) as string });
  });
});

describe("an import of an account", () => {
  it("an imported account can set a new password, and importing it again changes nothing", async () => {
    expect(await importAccount(client, poolId, account)).toBe(true);
    expect(await statusOf(account.email)).toBe("CONFIRMED");
    expect(await importAccount(client, poolId, account)).toBe(false);
  });

  it("an import that was interrupted before it set a password is completed by the next one", async () => {
    const interrupted = Object.assign(Object.create(client) as typeof client, {
      send: (command: object) =>
        command instanceof AdminCreateUserCommand
          ? client.send(command)
          : Promise.reject(new Error("The process was killed")),
    });
    await expect(importAccount(interrupted, poolId, account)).rejects.toThrow("killed");
    expect(await statusOf(account.email)).toBe("FORCE_CHANGE_PASSWORD");
    expect(await importAccount(client, poolId, account)).toBe(true);
    expect(await statusOf(account.email)).toBe("CONFIRMED");
    const { body } = await askCognito(cognito, "AdminListGroupsForUser", {
      UserPoolId: poolId,
      Username: account.email,
    });
    expect(body.Groups).toEqual([{ GroupName: "editor" }]);
  });

  it("an import replaces an account that somebody began with the address and a password of their own", async () => {
    const who = { ClientId: "test1client", Username: account.email };
    await askCognito(cognito, "SignUp", { ...who, Password: password });
    expect(await importAccount(client, poolId, account)).toBe(true);
    expect(await statusOf(account.email)).toBe("CONFIRMED");
    const AuthParameters = { USERNAME: account.email, PASSWORD: password };
    const signIn = { AuthFlow: "USER_PASSWORD_AUTH", ClientId: who.ClientId, AuthParameters };
    expect((await askCognito(cognito, "InitiateAuth", signIn)).body).toHaveProperty("__type", "NotAuthorizedException");
    expect((await askCognito(cognito, "ForgotPassword", who)).body).toHaveProperty("CodeDeliveryDetails");
    expect(await importAccount(client, poolId, account)).toBe(false);
  });

  it("an import leaves an invited admin the temporary password", async () => {
    const invited = { UserPoolId: poolId, Username: "admin@example.com" };
    await askCognito(cognito, "AdminCreateUser", invited);
    await askCognito(cognito, "AdminAddUserToGroup", { ...invited, GroupName: "admin" });
    expect(await importAccount(client, poolId, { email: invited.Username, groups: ["admin"] })).toBe(false);
    expect(await statusOf(invited.Username)).toBe("FORCE_CHANGE_PASSWORD");
  });
});

it("the accounts in the table are those of people with a verified address who have signed in and are not erased", async () => {
  const at = new Date("2026-11-27T12:00:00Z");
  const stored = async (email: string, change: object = {}) => {
    const user = { ...newUser({ sub: `sub-${email}`, username: `sub-${email}`, email }, at, Math.random), ...change };
    await write(test.table, profile(user));
    return user.id;
  };
  await stored("plain@example.com");
  await stored("named@example.com", { first_name: "Nadia", last_name: "Okafor", username: "nadia" });
  await stored("old@example.com", { updated_at: "2026-11-26T12:00:00.000Z" });
  await stored("imported@example.com", { sub: null });
  await stored("erased@example.com", { erased_at: at.toISOString() });
  await stored("");
  const unreadable = await stored("unreadable@example.com", { first_name: 7 });
  await write(test.table, [{ put: { ...keys.community(1), id: 1 } }]);

  const found = async (since?: Date) => {
    const places: string[] = [];
    const accounts: Record<string, object> = {};
    for await (const { place, account: read } of accountsInTable(test.table, since)) {
      try {
        const { email, ...rest } = read();
        accounts[email] = rest;
      } catch {
        places.push(place);
      }
    }
    return { places, accounts };
  };
  const named = { given_name: "Nadia", family_name: "Okafor", preferred_username: "nadia", groups: [] };
  const recent = { "plain@example.com": { groups: [] }, "named@example.com": named };
  expect(await found()).toEqual({
    places: [`user ${unreadable}`],
    accounts: { ...recent, "old@example.com": { groups: [] } },
  });
  expect((await found(at)).accounts).toEqual(recent);
});
