import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { UnprovenAccount } from "#lib/store/sign-in.ts";
import { createSignIn, type SignInStep, type UserPool } from "../../client/odis.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { type Cognito, startCognito } from "../../tools/local/cognito.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const anna = { username: "anna", email: "anna@example.com", password: "Annas-password-1" };

let cognito: Cognito;
const open: Cognito[] = [];
async function start(options: Partial<Parameters<typeof startCognito>[0]> = {}): Promise<UserPool> {
  cognito = await startCognito({ ...pool, preTokenGeneration: async (event) => event, ...options });
  open.push(cognito);
  return { userPoolId: pool.poolId, clientId: pool.clientId, endpoint: cognito.url };
}

let signIn: ReturnType<typeof createSignIn>;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-01T09:05:00.000Z") });
  signIn = createSignIn(await start());
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

/** Asserts the status of a sign-in step, and narrows its type. */
function as<S extends SignInStep["status"]>(status: S, step: SignInStep): Extract<SignInStep, { status: S }> {
  expect(step.status).toBe(status);
  return step as Extract<SignInStep, { status: S }>;
}

const claimsOf = (token: string) =>
  JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;
const codeNow = () => totp(secret, Date.now());
const nextCode = () => {
  vi.setSystemTime(Date.now() + 30_000);
  return codeNow();
};

describe("a sign-in by SRP", () => {
  it.each(["anna", "anna@example.com", "Anna@Example.COM"])(
    "a sign-in by SRP returns the tokens of the user named %s",
    async (name) => {
      await cognito.addUser(anna);
      const { session } = as("signed_in", await signIn.signIn(name, anna.password));
      expect(claimsOf(session.accessToken)).toMatchObject({ username: "anna", token_use: "access" });
      expect(session.expiresAt).toBe(Date.now() + 3_600_000);
      expect(await signIn.refresh(session.refreshToken ?? "")).toMatchObject({ refreshToken: session.refreshToken });
    },
  );

  // Users have different salts and public values, some of which contain zero bytes or bytes above 127.
  it("a sign-in by SRP succeeds for each of 40 users", async () => {
    for (let n = 0; n < 40; n++) {
      const user = { username: `u${n}`, email: `u${n}@example.com`, password: `Pässwörd-${n}-ü` };
      await cognito.addUser(user);
      expect(await signIn.signIn(user.email, user.password)).toMatchObject({ status: "signed_in" });
    }
  });

  it.each([
    { what: "a wrong password", name: anna.username, password: "Annas-password-2" },
    { what: "an unknown user", name: "nobody@example.com", password: anna.password },
  ])("a sign-in by SRP is refused for $what with the same error", async ({ name, password }) => {
    await cognito.addUser(anna);
    await expect(signIn.signIn(name, password)).rejects.toMatchObject({
      name: "SignInError",
      code: "NotAuthorizedException",
      message: "Incorrect username or password.",
    });
  });

  it.each([
    ["UNCONFIRMED", "UserNotConfirmedException"],
    ["RESET_REQUIRED", "PasswordResetRequiredException"],
  ] as const)("a sign-in of a user with the status %s is refused with the code %s", async (status, code) => {
    await cognito.addUser({ ...anna, status });
    await expect(signIn.signIn(anna.username, anna.password)).rejects.toMatchObject({ code });
  });

  it("a sign-in to an account whose password somebody else may have chosen is refused with the code UnprovenAccount", async () => {
    signIn = createSignIn(await start({ preTokenGeneration: () => Promise.reject(new UnprovenAccount()) }));
    await cognito.addUser(anna);
    const { message } = new UnprovenAccount();
    await expect(signIn.signIn(anna.username, anna.password)).rejects.toMatchObject({
      code: "UnprovenAccount",
      message,
    });
  });

  it("a sign-in by SRP does not send the password", async () => {
    await cognito.addUser(anna);
    const sent = vi.spyOn(globalThis, "fetch");
    await signIn.signIn(anna.username, anna.password);
    const bodies = sent.mock.calls.map(([, init]) => JSON.stringify(init));
    sent.mockRestore();
    expect(bodies).toHaveLength(2);
    expect(bodies.join("")).not.toContain(anna.password);
  });
});

describe("an account that somebody else has created", () => {
  const begin = async () => {
    await cognito.addUser({ ...anna, status: "FORCE_CHANGE_PASSWORD" });
    return as("new_password_required", await signIn.signIn(anna.email, anna.password));
  };

  it("a user with a temporary password signs in with a new password, which replaces the temporary one", async () => {
    const { answer } = await begin();
    as("signed_in", await answer("Annas-own-password-1"));
    as("signed_in", await signIn.signIn(anna.email, "Annas-own-password-1"));
    await expect(signIn.signIn(anna.email, anna.password)).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });

  it("if the password policy refuses a new password, another one can be entered", async () => {
    const { answer } = await begin();
    await expect(answer("short-1A")).rejects.toMatchObject({ code: "InvalidPasswordException" });
    as("signed_in", await answer("Annas-own-password-1"));
  });

  it("a new password must be chosen within three minutes", async () => {
    const { answer } = await begin();
    vi.setSystemTime(Date.now() + 180_000);
    await expect(answer("Annas-own-password-1")).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });
});

describe("an authenticator app", () => {
  it("a signed-in person sets up an authenticator app, which ends all sessions and is required at the next sign-in", async () => {
    await cognito.addUser(anna);
    const { session } = as("signed_in", await signIn.signIn(anna.email, anna.password));
    const { session: other } = as("signed_in", await signIn.signIn(anna.email, anna.password));
    const setup = await signIn.setUpTotp(session, anna.email);
    expect(setup.address).toBe(`otpauth://totp/Odis:anna%40example.com?secret=${setup.secret}&issuer=Odis`);
    await expect(setup.confirm("000")).rejects.toMatchObject({ code: "EnableSoftwareTokenMFAException" });
    await setup.confirm(totp(setup.secret, Date.now()));
    for (const { refreshToken = "" } of [session, other])
      await expect(signIn.refresh(refreshToken)).rejects.toMatchObject({ code: "NotAuthorizedException" });

    const step = as("totp_required", await signIn.signIn(anna.email, anna.password));
    await expect(step.answer(totp(setup.secret, Date.now()))).rejects.toMatchObject({ code: "ExpiredCodeException" });
    vi.setSystemTime(Date.now() + 30_000);
    as("signed_in", await step.answer(totp(setup.secret, Date.now())));
  });

  it("an authenticator app accepts the codes of the previous, current and next step only", async () => {
    await cognito.addUser({ ...anna, totp_secret: secret });
    const { answer } = as("totp_required", await signIn.signIn(anna.email, anna.password));
    for (const steps of [-2, 2])
      await expect(answer(totp(secret, Date.now() + steps * 30_000))).rejects.toMatchObject({
        code: "CodeMismatchException",
      });
    as("signed_in", await answer(totp(secret, Date.now() - 30_000)));
    const { answer: again } = as("totp_required", await signIn.signIn(anna.email, anna.password));
    as("signed_in", await again(totp(secret, Date.now() + 30_000)));
  });

  it("a code of the authenticator app is required after a new password was chosen", async () => {
    await cognito.addUser({ ...anna, totp_secret: secret, status: "FORCE_CHANGE_PASSWORD" });
    const first = as("new_password_required", await signIn.signIn(anna.email, anna.password));
    const second = as("totp_required", await first.answer("Annas-own-password-1"));
    expect(await second.answer(codeNow())).toMatchObject({ status: "signed_in" });
  });

  it("a code of an authenticator app cannot be used for two sign-ins, even in another session", async () => {
    await cognito.addUser({ ...anna, totp_secret: secret });
    const sessions = await Promise.all([1, 2].map(() => signIn.signIn(anna.email, anna.password)));
    const [one, other] = sessions.map((step) => as("totp_required", step));
    as("signed_in", await (one?.answer(codeNow()) ?? Promise.reject()));
    await expect(other?.answer(codeNow())).rejects.toMatchObject({ code: "ExpiredCodeException" });
    as("signed_in", await (other?.answer(nextCode()) ?? Promise.reject()));
  });

  it("an authenticator app is set up during the sign-in if the pool requires one", async () => {
    signIn = createSignIn(await start({ mfa: "ON" }));
    await cognito.addUser({ ...anna, status: "FORCE_CHANGE_PASSWORD" });
    const first = as("new_password_required", await signIn.signIn(anna.email, anna.password));
    const setup = as("totp_setup_required", await first.answer("Annas-own-password-1"));
    expect(setup.address).toContain(`?secret=${setup.secret}&`);
    as("signed_in", await setup.answer(totp(setup.secret, Date.now())));
    as("totp_required", await signIn.signIn(anna.email, "Annas-own-password-1"));
  });
});

it("a sign-out ends the session", async () => {
  await cognito.addUser(anna);
  const { session } = as("signed_in", await signIn.signIn(anna.email, anna.password));
  await signIn.signOut(session.refreshToken ?? "");
  await expect(signIn.refresh(session.refreshToken ?? "")).rejects.toMatchObject({ code: "NotAuthorizedException" });
});

it("the default endpoint is that of AWS in the region of the pool", async () => {
  const asked = vi.spyOn(globalThis, "fetch").mockResolvedValue(new Response("{}", { status: 503 }));
  const { refresh } = createSignIn({ userPoolId: "us-gov-west-1_AbCdEfGhI", clientId: "c" });
  await expect(refresh("r")).rejects.toMatchObject({ code: "unknown", message: "Cognito answered 503" });
  expect(asked.mock.calls[0]?.[0]).toBe("https://cognito-idp.us-gov-west-1.amazonaws.com/");
  asked.mockRestore();
});
