import { chmod, mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeAll, expect, it, vi } from "vitest";
import { invite } from "#lib/store/admin-access.ts";
import { openApi } from "../../../client/cli/session.ts";
import { createSignIn, type SignInError } from "../../../client/odis.ts";
import { totp } from "../../../tools/local/cognito/totp.ts";
import { password } from "../../../tools/local/users.ts";
import { startApi } from "../../support/api.ts";
import { dialog, type Exchange } from "../../support/dialog.ts";
import { aCommunity, anInvitation } from "../../support/given.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const api = startApi();

const folder = temporaryFolder();
beforeAll(async () => {
  const { url, cognito } = api.stack;
  const { CLIENT_ID, USER_POOL_ID } = process.env;
  const local = { api_url: url, cognito_url: cognito.url, tokens: {}, environment: { CLIENT_ID, USER_POOL_ID } };
  await writeFile(join(folder, "local.json"), JSON.stringify(local));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

const sessionFile = (name: string) => join(folder, name, "session.json");
const odis = (name: string, args: readonly string[], exchanges: readonly Exchange[] = [], env = {}) =>
  dialog(
    ["--folder", folder, "--quiet", ...args],
    { ...process.env, ODIS_CONFIG: sessionFile(name), ODIS_PASSWORD: "", ...env },
    exchanges,
  );

/** Adds a user to the pool, and signs in. */
async function signInAs(name: string, username: string): Promise<void> {
  await api.stack.cognito.addUser({ username, email: `${username}@example.com`, password });
  expect(await odis(name, ["sign-in", "--username", username], [], { ODIS_PASSWORD: password })).toMatchObject({
    code: 0,
  });
}

/** Returns the current code of the authenticator app whose `otpauth://` URL the program has printed. */
const codeOf = (written: string) => totp(/secret=([A-Z2-7]+)/.exec(written)?.[1] ?? "", Date.now());

it("an admin with a temporary password chooses a new one, sets up TOTP, and may then make admin-only requests", async () => {
  const email = "first@example.com";
  const { sub } = await api.stack.cognito.addUser({
    username: "first",
    email,
    password,
    groups: ["admin"],
    status: "FORCE_CHANGE_PASSWORD",
  });
  await invite(api.table, sub, new Date());
  const { id } = await aCommunity(api.table);
  const listing = ["members", "list", "--community", String(id)];
  const signIn = ["sign-in", "--username", email];

  const first = await odis("first", signIn, [
    [`Password of ${email}: `, password],
    ["New password: ", "short"],
    ["Password did not conform with policy: Password not long enough\nNew password: ", "Firsts-password-1"],
  ]);
  expect(first).toMatchObject({ code: 0, unasked: [], out: expect.stringContaining("Signed in.") as string });
  expect(first.err).not.toContain(password);
  expect(first.err).toContain("Your password is temporary. Choose a new one");
  expect((await stat(sessionFile("first"))).mode & 0o777).toBe(0o600);
  expect((await odis("first", listing)).err).toContain("forbidden");

  let address = "";
  const setUp = await odis(
    "first",
    ["totp"],
    [
      [
        "Code of your authenticator app: ",
        (written) => {
          address = written;
          return "000000";
        },
      ],
      ["Code mismatch\nCode of your authenticator app: ", codeOf],
    ],
  );
  expect(setUp).toMatchObject({ code: 0, unasked: [] });
  expect(setUp.err).toContain(`otpauth://totp/Odis:first%40example.com?secret=`);
  expect((await odis("first", listing)).code).toBe(2);

  // The stand-in accepts each code once, and the sign-in must be later than the setup of the app.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 30_000 });
  const again = await odis("again", signIn, [["Code of your authenticator app: ", () => codeOf(address)]], {
    ODIS_PASSWORD: "Firsts-password-1",
  });
  expect(again).toMatchObject({ code: 0, unasked: [] });
  expect((await odis("again", listing)).code).toBe(0);
});

it.each([
  ["before it expires", "old", { access_token: "expired", expires_at: Date.now() }],
  [
    "if the API rejects its token, as after a correction of the clock",
    "early",
    { expires_at: Date.now() + 86_400_000 },
  ],
])("a session is renewed with its refresh token %s", async (_, username, change) => {
  const { sub } = await api.stack.cognito.addUser({ username, email: `${username}@example.com`, password });
  await odis(username, ["sign-in", "--username", username], [], { ODIS_PASSWORD: password });
  const session = JSON.parse(await readFile(sessionFile(username), "utf8")) as Record<string, unknown>;
  const access_token = await api.stack.cognito.sign({ sub, username, expiresIn: -60 });
  await writeFile(sessionFile(username), JSON.stringify({ ...session, access_token, ...change }));
  expect((await odis(username, ["members", "list", "--community", "1"])).err).toMatch(/forbidden|not_found/);
  const renewed = JSON.parse(await readFile(sessionFile(username), "utf8")) as Record<string, unknown>;
  expect(renewed.access_token).not.toBe(access_token);
});

it.each([
  ["revokes the refresh token", "out", {}, /NotAuthorizedException/],
  ["removes the session also if Cognito cannot be reached", "offline", { endpoint: "http://127.0.0.1:1/" }, /^$/],
])("a sign-out %s", async (_, username, change, refusal) => {
  await api.stack.cognito.addUser({ username, email: `${username}@example.com`, password });
  await odis(username, ["sign-in", "--username", username], [], { ODIS_PASSWORD: password });
  const stored = JSON.parse(await readFile(sessionFile(username), "utf8")) as StoredSession;
  await writeFile(sessionFile(username), JSON.stringify({ ...stored, pool: { ...stored.pool, ...change } }));
  expect(await odis(username, ["sign-out"])).toMatchObject({ code: 0, err: "" });
  await expect(stat(sessionFile(username))).rejects.toThrow("ENOENT");
  const { user_pool_id: userPoolId, client_id: clientId, endpoint } = stored.pool;
  const refreshed = createSignIn({ userPoolId, clientId, endpoint }).refresh(stored.refresh_token);
  expect(
    await refreshed.then(
      () => "",
      ({ code }: SignInError) => code,
    ),
  ).toMatch(refusal);
});

type StoredSession = {
  readonly refresh_token: string;
  readonly pool: { readonly user_pool_id: string; readonly client_id: string; readonly endpoint: string };
};

it.each([
  ["another person has signed in since", () => signInAs("slow", "quick")],
  ["somebody has signed out since", () => rm(sessionFile("slow"))],
])("a command that renews its session continues with it, but does not store it if %s", async (_, change) => {
  await signInAs("slow", "slow");
  const session = JSON.parse(await readFile(sessionFile("slow"), "utf8")) as Record<string, unknown>;
  await writeFile(sessionFile("slow"), JSON.stringify({ ...session, expires_at: Date.now() }));
  vi.stubEnv("ODIS_CONFIG", sessionFile("slow"));
  const { odis: client } = await openApi({ folder });
  await change();
  const changed = await readFile(sessionFile("slow"), "utf8").catch(() => undefined);
  expect(await client.get("/odis/v1/me")).toMatchObject({ user: { email: "slow@example.com" } });
  expect(await readFile(sessionFile("slow"), "utf8").catch(() => undefined)).toBe(changed);
});

it("answers to the questions of a sign-in can be piped in at once", async () => {
  const totp_secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  await api.stack.cognito.addUser({ username: "piped", email: "piped@example.com", password, totp_secret });
  const answers = `${password}\n${totp(totp_secret, Date.now())}`;
  const signedIn = await odis("piped", ["sign-in", "--username", "piped"], [["Password of piped: ", answers]]);
  expect(signedIn).toMatchObject({ code: 0, out: expect.stringContaining("Signed in.") as string });
});

it.each([
  ["no answer", "", 2, "There was no answer"],
  ["a wrong password", "wrong", 3, "Incorrect username or password."],
])("a sign-in with %s fails and stores no session", async (_, ODIS_PASSWORD, code, message) => {
  await api.stack.cognito.addUser({ username: "none", email: "none@example.com", password });
  const failed = await odis("none", ["sign-in", "--username", "none"], [], { ODIS_PASSWORD });
  expect(failed.code).toBe(code);
  expect(failed.err).toContain(message);
  await expect(stat(sessionFile("none"))).rejects.toThrow("ENOENT");
});

it.each([
  [
    "whose address was invited to a team after the sign-up",
    "UnprovenAccount",
    async (email: string) => {
      const { USER_POOL_ID: userPoolId = "", CLIENT_ID: clientId = "" } = process.env;
      const accounts = createSignIn({ userPoolId, clientId, endpoint: api.stack.cognito.url });
      await accounts.signUp(email, password);
      await accounts.confirmSignUp(email, "000000");
      await anInvitation(api.table, await aCommunity(api.table), { email });
    },
  ],
  [
    "whose password was reset",
    "PasswordResetRequiredException",
    (email: string) => api.stack.cognito.addUser({ username: email, email, password, status: "RESET_REQUIRED" }),
  ],
])("a sign-in to an account %s names the page where a new password is set", async (_, code, begin) => {
  const email = `${code.toLowerCase()}@example.com`;
  await begin(email);
  const refused = await odis(code, ["sign-in", "--username", email], [], { ODIS_PASSWORD: password });
  expect(refused.code).toBe(3);
  expect(refused.err).toMatch(
    new RegExp(`^${code}: .*: choose "Forgot your password\\?" at ${api.stack.url}/console\n$`),
  );
  await expect(stat(sessionFile(code))).rejects.toThrow("ENOENT");
});

it.each([
  ["without ODIS_PASSWORD", ["sign-in", "--username", "asked"], "", "Set ODIS_PASSWORD"],
  ["whose password is temporary", ["sign-in", "--username", "asked"], password, "new_password_required"],
  ["to set up an authenticator app", ["totp"], "", "code of an authenticator app"],
])("with --json, a command %s fails without a question", async (_, args, ODIS_PASSWORD, message) => {
  const user = { username: "asked", email: "asked@example.com", password, status: "FORCE_CHANGE_PASSWORD" } as const;
  await api.stack.cognito.addUser(user);
  const { code, out, err } = await odis("asked", ["--json", ...args], [], { ODIS_PASSWORD });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(JSON.parse(err)).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
});

it("setting up TOTP without a session requires a sign-in first", async () => {
  expect(await odis("nobody", ["totp"])).toMatchObject({
    code: 2,
    err: "Nobody is signed in. Run the command sign-in first\n",
  });
});

it.each([
  ["is empty because another command is writing it", ""],
  ["was cut off by a full disk", '{"api_url":"http'],
])("a session file that %s counts as no session", async (_, text) => {
  await mkdir(join(folder, "broken"), { recursive: true });
  await writeFile(sessionFile("broken"), text);
  expect(
    await odis("broken", ["members", "list", "--community", "1", "--api-url", "https://api.example.com"]),
  ).toMatchObject({
    code: 2,
    err: expect.stringContaining("Run the command sign-in first") as string,
  });
});

it("storing a session replaces its file, so that a command that reads it meanwhile gets the former one in full", async () => {
  await api.stack.cognito.addUser({ username: "twice", email: "twice@example.com", password });
  const signIn = () => odis("twice", ["sign-in", "--username", "twice"], [], { ODIS_PASSWORD: password });
  await signIn();
  await chmod(sessionFile("twice"), 0o644);
  await using reader = await open(sessionFile("twice"));
  const stored = await readFile(sessionFile("twice"), "utf8");
  expect(await signIn()).toMatchObject({ code: 0 });
  expect(await reader.readFile("utf8")).toBe(stored);
  expect(await readFile(sessionFile("twice"), "utf8")).not.toBe(stored);
  expect((await stat(sessionFile("twice"))).mode & 0o777).toBe(0o600);
  expect(await readdir(join(folder, "twice"))).toEqual(["session.json"]);
});
