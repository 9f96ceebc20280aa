import { SignInError, type SignInStep } from "../odis.ts";
import { UsageError } from "./failures.ts";
import { openPrompt, type Prompt } from "./prompt.ts";
import { type Place, type PoolOptions, poolAt, signInOf, signOut, startSession, usableSession } from "./session.ts";

type Options = Place & PoolOptions & { readonly username: string; readonly json: true | undefined };

/** @throws UsageError with `--json`, which never prompts */
function assertMayAsk(json: true | undefined, hint: string): void {
  if (json) throw new UsageError(`--json never prompts. ${hint}`);
}

/**
 * Signs in with a password, which is read from `ODIS_PASSWORD` or asked for. Asks for whatever else the pool requires.
 * Stores the session in a file that only this user can read.
 * @returns the path of the file
 */
export async function signIn({ username, json, ...options }: Options): Promise<string> {
  if (!process.env.ODIS_PASSWORD) assertMayAsk(json, "Set ODIS_PASSWORD, or omit --json");
  const place = await poolAt(options);
  return withPrompt(async ({ ask }) => {
    const password = process.env.ODIS_PASSWORD || (await ask(`Password of ${username}`, { isSecret: true }));
    let step = await signInOf(place.pool).signIn(username, password);
    while (step.status !== "signed_in") {
      assertMayAsk(json, `The sign-in needs an answer (${step.status}). Omit --json`);
      step = await answered(step, ask);
    }
    return startSession({ ...place, username }, step.session);
  }).catch((error: unknown) => {
    if (!(error instanceof SignInError && withoutPassword.has(error.code))) throw error;
    const page = `choose "Forgot your password?" at ${place.api_url}/console`;
    throw new SignInError(error.code, `${error.message}: ${page}`);
  });
}

/** Errors after which the person needs a new password, which no command sets. */
const withoutPassword = new Set<string>(["PasswordResetRequiredException", "UnprovenAccount"]);

/**
 * Sets up an authenticator app for the signed-in user. This ends all sessions of the user, including the current one.
 */
export async function setUpTotp(json: true | undefined): Promise<void> {
  assertMayAsk(json, "The command needs a code of an authenticator app. Omit --json");
  const session = await usableSession();
  const { address, confirm } = await signInOf(session.pool).setUpTotp(tokensOf(session), session.username);
  await withPrompt(async ({ ask }) => {
    tellAddress(address);
    await untilAccepted(async () => confirm(await ask(code)));
  });
  await signOut();
}

const tokensOf = ({ access_token, refresh_token }: Awaited<ReturnType<typeof usableSession>>) => ({
  accessToken: access_token,
  ...(refresh_token !== undefined && { refreshToken: refresh_token }),
});

const code = "Code of your authenticator app";

/** Asks the person for the answer to a step of a sign-in. Returns the next step. */
function answered(step: Exclude<SignInStep, { status: "signed_in" }>, ask: Prompt["ask"]): Promise<SignInStep> {
  switch (step.status) {
    case "new_password_required":
      console.error(
        "Your password is temporary. Choose a new one with at least 12 characters, including A-Z, a-z and 0-9.",
      );
      return untilAccepted(async () => step.answer(await ask("New password", { isSecret: true })));
    case "totp_setup_required":
      tellAddress(step.address);
      return untilAccepted(async () => step.answer(await ask(code)));
    case "totp_required":
      return untilAccepted(async () => step.answer(await ask(code)));
  }
}

const tellAddress = (address: string): void =>
  console.error(`Add this account to your authenticator app, with the secret or as a QR code:\n${address}`);

/** Errors after which the person can try again. */
const correctable = new Set([
  "CodeMismatchException",
  "EnableSoftwareTokenMFAException",
  "ExpiredCodeException",
  "InvalidParameterException",
  "InvalidPasswordException",
]);

async function untilAccepted<T>(answer: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await answer();
    } catch (error) {
      if (!(error instanceof SignInError && correctable.has(error.code))) throw error;
      console.error(error.message);
    }
}

async function withPrompt<T>(work: (prompt: Prompt) => Promise<T>): Promise<T> {
  const prompt = openPrompt();
  try {
    return await work(prompt);
  } finally {
    prompt.close();
  }
}
