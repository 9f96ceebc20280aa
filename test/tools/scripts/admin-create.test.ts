import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { keys } from "#lib/store/keys.ts";
import { type Cognito, startCognito } from "../../../tools/local/cognito.ts";
import { addSeenApp } from "../../../tools/local/users.ts";
import { askCognito } from "../../support/cognito.ts";
import { setUp, temporaryFolder } from "../../support/set-up.ts";
import { openTable } from "../../support/table.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const email = "you@example.com";

let cognito: Cognito;
const folder = temporaryFolder();
const outputs = join(folder, "outputs.json");
const test = setUp(() => openTable("odis-admins"));
afterAll(() => test.close());
beforeEach(async () => {
  cognito = await startCognito({ ...pool, preTokenGeneration: async (event) => event });
  const deployed = {
    ApiUrl: "https://api.example.com",
    UserPoolId: pool.poolId,
    ClientId: pool.clientId,
    TableName: test.name,
  };
  await writeFile(outputs, JSON.stringify({ "odis-prod": deployed }));
});
afterEach(() => cognito.close());

const createAdmin = (...args: readonly string[]) =>
  new Promise<{ code: number; out: string; err: string }>((resolve) => {
    const env = { ...process.env, AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: cognito.url };
    const words = ["tools/scripts/admin-create.ts", "--outputs", outputs, "--email", email, ...args];
    execFile(process.execPath, words, { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    );
  });

const ask = async (operation: string, input: object = {}) =>
  (await askCognito(cognito, operation, { UserPoolId: pool.poolId, Username: email, ...input })).body;

it("admin:create creates an account with a verified address in the group and prints the next steps", async () => {
  const { code, out } = await createAdmin("--stage", "prod");
  expect(code).toBe(0);
  expect(out).toContain(`Created ${email} in the group admin.\nNext:\n1. Cognito sends a temporary password`);
  expect(out).toContain(
    `2. Sign in: npm run odis -- --api-url https://api.example.com sign-in --username ${email} --user-pool-id ${pool.poolId} --client-id ${pool.clientId}\n`,
  );
  expect(out).toContain(
    "3. Set up an authenticator app within 7 days, which admins require: npm run odis -- totp\n4. Sign in again with a code",
  );
  expect(await ask("AdminGetUser")).toMatchObject({
    UserStatus: "FORCE_CHANGE_PASSWORD",
    UserAttributes: expect.arrayContaining([{ Name: "email_verified", Value: "true" }]) as object[],
  });
});

it("admin:create is idempotent, and the temporary password stays valid", async () => {
  await ask("AdminCreateUser", {
    TemporaryPassword: "Temporary-pw-1",
    UserAttributes: [{ Name: "email_verified", Value: "true" }],
  });
  const { code, out } = await createAdmin("--stage", "prod");
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining(`${email} is in the group admin.`) as string,
  });
  const AuthParameters = { USERNAME: email, PASSWORD: "Temporary-pw-1" };
  const signIn = { AuthFlow: "USER_PASSWORD_AUTH", ClientId: pool.clientId, AuthParameters };
  expect(await ask("InitiateAuth", signIn)).toMatchObject({ ChallengeName: "NEW_PASSWORD_REQUIRED" });

  expect((await createAdmin("--stage", "prod", "--resend")).code).toBe(0);
  expect(await ask("InitiateAuth", signIn)).toMatchObject({ __type: "NotAuthorizedException" });
});

it.each(["admin", "editor"])(
  "admin:create --group %s replaces an account that somebody began with the address and a password of their own",
  async (group) => {
    const Password = "Strangers-1234";
    await ask("SignUp", { ClientId: pool.clientId, Password });
    expect((await createAdmin("--stage", "prod", "--group", group)).out).toContain(`Created ${email} in the group`);
    expect(await ask("AdminGetUser")).toMatchObject({ UserStatus: "FORCE_CHANGE_PASSWORD" });
    expect(await ask("ConfirmSignUp", { ClientId: pool.clientId, ConfirmationCode: "000000" })).toHaveProperty(
      "__type",
    );
    const AuthParameters = { USERNAME: email, PASSWORD: Password };
    const signIn = { AuthFlow: "USER_PASSWORD_AUTH", ClientId: pool.clientId, AuthParameters };
    expect(await ask("InitiateAuth", signIn)).toMatchObject({ __type: "NotAuthorizedException" });
  },
);

const app = { username: "you", email, password: "Your-password-1", totp_secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ" };

it("admin:create disables an authenticator app without an invitation, ends the sessions, and invites for seven days", async () => {
  const { sub } = await cognito.addUser({ ...app, totp_secret: undefined });
  const AuthParameters = { USERNAME: email, PASSWORD: app.password };
  const { AuthenticationResult } = await ask("InitiateAuth", {
    AuthFlow: "USER_PASSWORD_AUTH",
    ClientId: pool.clientId,
    AuthParameters,
  });
  await cognito.addUser(app);
  const { out } = await createAdmin("--stage", "prod");
  expect(out).toContain("Set up an authenticator app within 7 days");
  expect((await ask("AdminGetUser")).UserMFASettingList ?? []).toEqual([]);
  const { RefreshToken: REFRESH_TOKEN } = AuthenticationResult as { RefreshToken: string };
  const refresh = { AuthFlow: "REFRESH_TOKEN_AUTH", ClientId: pool.clientId, AuthParameters: { REFRESH_TOKEN } };
  expect(await ask("InitiateAuth", refresh)).toMatchObject({ __type: "NotAuthorizedException" });
  const { invited_until, app_seen_at } = (await test.table.get(keys.adminAccess(sub))) ?? {};
  const days = (Date.parse(String(invited_until)) - Date.now()) / (24 * 60 * 60 * 1000);
  expect(Math.round(days)).toBe(7);
  expect(app_seen_at).toBeUndefined();
});

it.each(["admin", "editor"])(
  "admin:create --group %s invalidates the password of an account that is in no group, and ends its sessions",
  async (group) => {
    await cognito.addUser({ ...app, totp_secret: undefined });
    const signIn = {
      AuthFlow: "USER_PASSWORD_AUTH",
      ClientId: pool.clientId,
      AuthParameters: { USERNAME: email, PASSWORD: app.password },
    };
    const { AuthenticationResult } = await ask("InitiateAuth", signIn);
    const { out } = await createAdmin("--stage", "prod", "--group", group);
    expect(out).toContain('Set a new one: "Forgot your password?" at https://api.example.com/console.\n2. Sign in: ');
    expect(await ask("InitiateAuth", signIn)).toMatchObject({ __type: "PasswordResetRequiredException" });
    const { RefreshToken: REFRESH_TOKEN } = AuthenticationResult as { RefreshToken: string };
    const refresh = { AuthFlow: "REFRESH_TOKEN_AUTH", ClientId: pool.clientId, AuthParameters: { REFRESH_TOKEN } };
    expect(await ask("InitiateAuth", refresh)).toMatchObject({ __type: "NotAuthorizedException" });

    const own = "Your-own-password-1";
    const ofClient = { ClientId: pool.clientId, Username: email };
    await ask("ForgotPassword", ofClient);
    await ask("ConfirmForgotPassword", { ...ofClient, ConfirmationCode: "000000", Password: own });
    expect((await createAdmin("--stage", "prod", "--group", group)).out).toContain("1. Sign in: ");
    const AuthParameters = { USERNAME: email, PASSWORD: own };
    expect(await ask("InitiateAuth", { ...signIn, AuthParameters })).toHaveProperty("AuthenticationResult");
  },
);

it("admin:create disables an app of a former admin, who may have set it up without rights, and invites again", async () => {
  const { sub } = await cognito.addUser(app);
  await addSeenApp(test.table, sub);
  const { out } = await createAdmin("--stage", "prod");
  expect(out).toContain("Set up an authenticator app within 7 days");
  expect((await ask("AdminGetUser")).UserMFASettingList ?? []).toEqual([]);
  expect((await test.table.get(keys.adminAccess(sub)))?.app_seen_at).toBeUndefined();
});

it("admin:create does not ask admins with a valid authenticator app or editors to set up an app", async () => {
  const { sub } = await cognito.addUser({ ...app, groups: ["admin"] });
  await addSeenApp(test.table, sub);
  const { out } = await createAdmin("--stage", "prod");
  expect(out).toContain("1. Sign in: ");
  expect(out).not.toContain("authenticator app");
  const editor = await createAdmin("--stage", "prod", "--group", "editor");
  expect(editor.out).toContain(`${email} is in the group editor.`);
  expect(editor.out).not.toContain("authenticator app");
});

it.each([[["--stage", "sandbox"]], [["--stage", "sandbox", "--user-pool-id", "p"]]])(
  "admin:create fails for a stage without a stack: %j",
  async (args) => {
    const { code, err } = await createAdmin(...args);
    expect({ code, err }).toEqual({ code: 1, err: `There is no stack odis-sandbox in ${outputs}. Deploy it first\n` });
  },
);

it.each([
  [["--group", "owner"], "It must be admin or editor."],
  [["--email", "nobody"], "It must be an email address."],
])("admin:create with %j is refused", async (args, message) => {
  const { code, err } = await createAdmin(...args);
  expect(code).toBe(2);
  expect(err).toContain(message);
});
