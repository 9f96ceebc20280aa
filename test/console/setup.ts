import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createSignIn } from "../../client/odis.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { people } from "../../tools/local/demo/people.ts";
import { startDemoStack } from "../../tools/local/demo-stack.ts";
import { adminTotpSecret, password } from "../../tools/local/users.ts";
import { hasBrowser, launchServer } from "../support/chromium.ts";

type Local = Awaited<ReturnType<typeof startDemoStack>>["local"];

declare module "vitest" {
  interface ProvidedContext {
    /** The demo stack and the browser of this run. */
    console: { readonly local: Local; readonly browser: string; readonly adminSession: string } | undefined;
  }
}

/** Starts one demo stack and one Chromium for all test files, if Chromium is available. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  if (!hasBrowser("the console")) {
    provide("console", undefined);
    return async () => undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), "odis-console-"));
  const [stack, browser] = await Promise.all([startDemoStack({ port: 0, folder }), launchServer()]);
  const { local } = stack;
  provide("console", { local, browser: browser.wsEndpoint(), adminSession: await sessionOfAdmin(local) });
  return async () => {
    await Promise.all([stack.stop(), browser.close()]);
    await rm(folder, { recursive: true, force: true });
  };
}

/**
 * The refresh token of an admin session that tests share, because a code of the authenticator app is accepted once. Uses the
 * previous code, so that the test of the sign-in can use the current one.
 */
async function sessionOfAdmin({ cognito_url: endpoint, environment: { USER_POOL_ID, CLIENT_ID } }: Local) {
  const accounts = createSignIn({ endpoint, userPoolId: USER_POOL_ID, clientId: CLIENT_ID });
  const step = await accounts.signIn(`${people.admin.username}@example.com`, password);
  if (step.status !== "totp_required") throw new Error("The admin signs in without a code");
  const last = await step.answer(totp(adminTotpSecret, Date.now() - 30_000));
  if (last.status !== "signed_in" || !last.session.refreshToken) throw new Error("The admin is not signed in");
  return last.session.refreshToken;
}
