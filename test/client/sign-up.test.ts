import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSignIn, type SignIn } from "../../client/odis.ts";
import { type Cognito, startCognito } from "../../tools/local/cognito.ts";
import { askCognito } from "../support/cognito.ts";

const pool = { poolId: "eu-central-1_Test", clientId: "test1client", region: "eu-central-1" };
const email = "nora@example.com";
const password = "Noras-password-1";
/** The code in every message that the stand-in sends. */
const code = "000000";

let cognito: Cognito;
let signIn: SignIn;
beforeEach(async () => {
  cognito = await startCognito({ ...pool, preTokenGeneration: async (event) => event });
  signIn = createSignIn({ userPoolId: pool.poolId, clientId: pool.clientId, endpoint: cognito.url });
});
afterEach(() => cognito.close());

async function signedUp(): Promise<void> {
  await signIn.signUp(email, password);
  await signIn.confirmSignUp(email, code);
}

describe("a sign-up", () => {
  it("a sign-up sends a code, and the account can sign in once the code is confirmed", async () => {
    expect(await signIn.signUp(email, password)).toEqual({ destination: "n***@e***" });
    await expect(signIn.signIn(email, password)).rejects.toMatchObject({ code: "UserNotConfirmedException" });
    await signIn.confirmSignUp(email, code);
    expect(await signIn.signIn(email, password)).toMatchObject({ status: "signed_in" });
  });

  it("a sign-up stores the given names, and omits empty ones", async () => {
    await signIn.signUp(email, password, { firstName: "Nora", lastName: "" });
    await signIn.confirmSignUp(email, code);
    const step = await signIn.signIn(email, password);
    if (step.status !== "signed_in") throw new Error(step.status);
    const { body } = await askCognito(cognito, "GetUser", { AccessToken: step.session.accessToken });
    expect(body.UserAttributes).toContainEqual({ Name: "given_name", Value: "Nora" });
    expect(body.UserAttributes).not.toContainEqual(expect.objectContaining({ Name: "family_name" }));
  });

  it("a sign-up refuses a wrong code, and accepts the resent code", async () => {
    await signIn.signUp(email, password);
    await expect(signIn.confirmSignUp(email, "111111")).rejects.toMatchObject({ code: "CodeMismatchException" });
    expect(await signIn.resendCode(email)).toEqual({ destination: "n***@e***" });
    await signIn.confirmSignUp(email, code);
  });
});

describe("a forgotten password", () => {
  it("a forgotten password is replaced with the code that is sent", async () => {
    await signedUp();
    expect(await signIn.forgotPassword(email)).toEqual({ destination: "n***@e***" });
    await signIn.resetPassword(email, code, "Noras-new-password-1");
    expect(await signIn.signIn(email, "Noras-new-password-1")).toMatchObject({ status: "signed_in" });
    await expect(signIn.signIn(email, password)).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });

  it("a request for a code gets the same response if the account does not exist", async () => {
    expect(await signIn.forgotPassword("nobody@example.com")).toEqual({ destination: "n***@e***" });
  });
});
