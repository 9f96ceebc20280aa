import * as v from "valibot";
import { expect, it } from "vitest";
import { importBatch, show } from "#lib/contract/members.ts";
import { invite } from "#lib/contract/team.ts";
import { totp } from "../../tools/local/cognito/totp.ts";
import { addSeenApp, adminTotpSecret, password } from "../../tools/local/users.ts";
import { admin, startApi } from "../support/api.ts";
import { askCognito } from "../support/cognito.ts";
import { aCommunity } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();

const community = setUp(() => aCommunity(api.table));

/** Calls an operation of the pool like an app. */
const pool = async (operation: string, input: object) => {
  const { body } = await askCognito(api.stack.cognito, operation, { ClientId: process.env.CLIENT_ID, ...input });
  return v.parse(Outcome, body);
};

const Outcome = v.object({
  __type: v.optional(v.string()),
  ChallengeName: v.optional(v.string()),
  Session: v.optional(v.string()),
  AuthenticationResult: v.optional(v.object({ AccessToken: v.string(), RefreshToken: v.optional(v.string()) })),
});

const signIn = (USERNAME: string, PASSWORD: string) =>
  pool("InitiateAuth", { AuthFlow: "USER_PASSWORD_AUTH", AuthParameters: { USERNAME, PASSWORD } });
const refresh = (REFRESH_TOKEN = "") =>
  pool("InitiateAuth", { AuthFlow: "REFRESH_TOKEN_AUTH", AuthParameters: { REFRESH_TOKEN } });
const confirm = (Username: string) => pool("ConfirmSignUp", { Username, ConfirmationCode: "000000" });
const setPassword = (Username: string, Password: string) =>
  pool("ConfirmForgotPassword", { Username, Password, ConfirmationCode: "000000" });

/** The claims of the access token in a sign-in response. */
const claimsOf = ({ AuthenticationResult: { AccessToken } = { AccessToken: "" } }: v.InferOutput<typeof Outcome>) =>
  JSON.parse(Buffer.from(AccessToken.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

/** Imports a member. Returns the id of the profile. */
async function imported(email: string, id: number): Promise<number> {
  const params = { community_id: community.id };
  const period = { current_period_start: "2026-11-01T00:00:00.000Z", current_period_end: "2026-12-01T00:00:00.000Z" };
  const record = {
    id,
    user: { email },
    tier_id: community.tier.id,
    status: "active",
    created_at: period.current_period_start,
  };
  await api.call(importBatch, { as: admin, params, body: { members: [{ ...record, ...period }] } });
  const { body } = await api.call(show, { as: admin, params: { ...params, id } });
  return body.user.id;
}

it("a token has the group admin only if the authenticator app of an invited admin was seen before", async () => {
  const root = { username: "root", password, email: "root@example.com", groups: ["admin", "editor"] };
  await api.stack.cognito.addUser(root);
  expect(claimsOf(await signIn("root", password))).toMatchObject({ "cognito:groups": ["editor"] });
  const { sub } = await api.stack.cognito.addUser({ ...root, totp_secret: adminTotpSecret });
  await addSeenApp(api.table, sub);
  const { ChallengeName, Session } = await signIn("root", password);
  const ChallengeResponses = { USERNAME: "root", SOFTWARE_TOKEN_MFA_CODE: totp(adminTotpSecret, Date.now()) };
  const answered = await pool("RespondToAuthChallenge", { ChallengeName, Session, ChallengeResponses });
  expect(claimsOf(answered)).toMatchObject({ "cognito:groups": ["admin", "editor"] });
});

it("a sign-up that somebody else began with a member's address does not lead into the member's profile", async () => {
  const email = "victim@example.com";
  const profile = await imported(email, 4712);
  await pool("SignUp", { Username: email, Password: "Attackers-1234" });
  expect(await pool("SignUp", { Username: email, Password: "Victims-1234" })).toMatchObject({
    __type: "UsernameExistsException",
  });
  await confirm(email);
  expect(await signIn(email, "Attackers-1234")).toEqual({ __type: "PasswordResetRequiredException" });

  await setPassword(email, "Victims-1234");
  expect(await signIn(email, "Attackers-1234")).toEqual({ __type: "NotAuthorizedException" });
  expect(claimsOf(await signIn(email, "Victims-1234"))).toMatchObject({ user_id: profile });
});

it("a sign-up that somebody else began with an invited address does not lead into the team", async () => {
  const email = "invited@example.com";
  const params = { community_id: community.id };
  await api.call(invite, { as: admin, params, body: { invitation: { email, role: "manager" } } });
  await pool("SignUp", { Username: email, Password: "Attackers-1234" });
  await confirm(email);
  expect(await signIn(email, "Attackers-1234")).toEqual({ __type: "PasswordResetRequiredException" });
  await setPassword(email, "Invited-1234");
  expect(claimsOf(await signIn(email, "Invited-1234"))).toHaveProperty("user_id");
});

it("sessions that somebody else began with an address end when its owner sets a password", async () => {
  const email = "newcomer@example.com";
  await pool("SignUp", { Username: email, Password: "Attackers-1234" });
  await confirm(email);
  const attackers = await signIn(email, "Attackers-1234");
  expect(attackers.AuthenticationResult).toBeDefined();
  await pool("ForgotPassword", { Username: email });
  await setPassword(email, "Victims-1234");
  expect(await refresh(attackers.AuthenticationResult?.RefreshToken)).toEqual({ __type: "NotAuthorizedException" });
});

it("somebody whose address has no profile signs up, confirms and signs in", async () => {
  const email = "nobody@example.com";
  await pool("SignUp", { Username: email, Password: "Newcomers-1234" });
  expect(await signIn(email, "Newcomers-1234")).toEqual({ __type: "UserNotConfirmedException" });
  await confirm(email);
  expect(claimsOf(await signIn(email, "Newcomers-1234"))).toHaveProperty("user_id");
});
