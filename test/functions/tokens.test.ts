import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { importBatch, show as showMember } from "#lib/contract/members.ts";
import { show } from "#lib/contract/membership.ts";
import * as communities from "#lib/store/communities.ts";
import { keys } from "#lib/store/keys.ts";
import { signIn } from "#lib/store/sign-in.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { createSignIn } from "../../client/odis.ts";
import { password, subOf } from "../../tools/local/users.ts";
import { admin, type Problem, pathOf, readAnswer, startApi } from "../support/api.ts";
import { askCognito } from "../support/cognito.ts";
import { aCommunity, aMember, anInvitation, givenBy } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();

const community = setUp(() => aCommunity(api.table));

/** Reads the own membership with this token. */
async function ask(token: string) {
  const path = pathOf(show, { community_id: community.id });
  const answer = await readAnswer(await api.send(path, { headers: { authorization: `Bearer ${token}` } }));
  return { ...answer, code: (answer.body as Problem).code };
}

/** A valid token with changed claims. */
const signed = (claims: Record<string, unknown>, expiresIn = 3600) =>
  api.stack.cognito.sign({ sub: subOf(70), username: "seventy", claims: { user_id: 70, ...claims }, expiresIn });

describe("an access token", () => {
  it.each([70, "70"])("the user of a token is taken from the claim user_id, as %j", async (user_id) => {
    const mine = await aCommunity(api.table, { owner_id: 70 });
    const path = pathOf(show, { community_id: mine.id });
    const headers = { authorization: `Bearer ${await signed({ user_id })}` };
    const { body } = await readAnswer(await api.send(path, { headers }));
    expect(body).toMatchObject({ access: { reason: "owner" } });
  });

  it("the user of a token without the claim is found by the profile of its sub", async () => {
    const id = await users.add(api.table, users.newUser({ sub: subOf(71), username: "u71" }, new Date(), Math.random));
    await aMember(api.table, community, { user: { id } });
    const token = await api.stack.cognito.sign({ sub: subOf(71), username: "u71", expiresIn: 3600 });
    expect((await ask(token)).body).toMatchObject({ is_member: true });
  });

  it("a token without user_id and profile belongs to no member, and its first write creates the profile", async () => {
    const member = await aMember(api.table, community);
    const token = await api.stack.cognito.sign({
      sub: subOf(72),
      username: "u72",
      groups: ["admin"],
      claims: { admin_since: 1 },
      expiresIn: 3600,
    });
    expect((await ask(token)).body).toMatchObject({ is_member: false, access: { reason: "not_a_member" } });

    const path = `/odis/v1/communities/${community.id}/members/${member.id}/block`;
    const headers = { authorization: `Bearer ${token}` };
    const { body } = await readAnswer(await api.send(path, { method: "POST", headers }));
    const made = await users.idOf(api.table, subOf(72));
    expect(body).toMatchObject({ metadata: { blocked_by: made } });
  });
});

describe("signing in", () => {
  const Tokens = v.object({
    AuthenticationResult: v.object({ AccessToken: v.string(), RefreshToken: v.optional(v.string()) }),
  });
  const initiate = async (AuthFlow: string, AuthParameters: Record<string, string>) => {
    const input = { AuthFlow, AuthParameters, ClientId: process.env.CLIENT_ID };
    const { body } = await askCognito(api.stack.cognito, "InitiateAuth", input);
    return v.parse(Tokens, body).AuthenticationResult;
  };
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) as Record<string, unknown>;

  it("the first sign-in creates a profile, adds its id to the token and keeps the groups", async () => {
    await api.stack.cognito.addUser({
      username: "nadia",
      password,
      email: "nadia@example.com",
      given_name: "Nadia",
      groups: ["editor"],
    });
    const credentials = { USERNAME: "nadia", PASSWORD: password };
    const [first, second] = await Promise.all([
      initiate("USER_PASSWORD_AUTH", credentials),
      initiate("USER_PASSWORD_AUTH", credentials),
    ]);
    const { user_id, "cognito:groups": groups } = claimsOf(first.AccessToken);
    expect(groups).toEqual(["editor"]);
    expect(claimsOf(second.AccessToken).user_id).toBe(user_id);
    expect(await users.find(api.table, Number(user_id))).toMatchObject({ username: "nadia", first_name: "Nadia" });

    const refreshed = await initiate("REFRESH_TOKEN_AUTH", { REFRESH_TOKEN: first.RefreshToken ?? "" });
    expect(claimsOf(refreshed.AccessToken)).toMatchObject({ user_id, "cognito:groups": ["editor"] });
    expect((await ask(refreshed.AccessToken)).status).toBe(200);
  });

  it("the first sign-in takes over the profile that an import created for the email address", async () => {
    const email = "zoe@example.com";
    await api.call(importBatch, {
      as: admin,
      params: { community_id: community.id },
      body: {
        members: [
          {
            id: 4711,
            user: { email: email.toUpperCase(), username: "zoe" },
            tier_id: community.tier.id,
            status: "active",
            created_at: "2019-05-01T00:00:00.000Z",
            current_period_start: "2026-11-01T00:00:00.000Z",
            current_period_end: "2026-12-01T00:00:00.000Z",
          },
        ],
      },
    });
    const { body } = await api.call(showMember, { as: admin, params: { community_id: community.id, id: 4711 } });
    await api.stack.cognito.addUser({ username: "zoe", password, email });
    const credentials = { USERNAME: "zoe", PASSWORD: password };
    for (const { AccessToken } of await Promise.all([
      initiate("USER_PASSWORD_AUTH", credentials),
      initiate("USER_PASSWORD_AUTH", credentials),
    ]))
      expect(claimsOf(AccessToken).user_id).toBe(body.user.id);
  });

  it("a person who signs up keeps the password if an invitation has ended with a change of owner, and not before", async () => {
    const mine = await aCommunity(api.table);
    const stranger = await aCommunity(api.table);
    const { USER_POOL_ID: userPoolId = "", CLIENT_ID: clientId = "" } = process.env;
    const accounts = createSignIn({ userPoolId, clientId, endpoint: api.stack.cognito.url });
    const signUp = async (email: string) => {
      await accounts.signUp(email, password);
      await accounts.confirmSignUp(email, "000000");
      return accounts.signIn(email, password);
    };
    for (const email of ["early@example.com", "late@example.com"]) await anInvitation(api.table, mine, { email });
    await expect(signUp("early@example.com")).rejects.toMatchObject({ code: "PasswordResetRequiredException" });
    const owned = await communities.open(api.table, mine.id);
    await communities.update(api.table, owned, { owner_id: stranger.owner.id }, givenBy());
    expect(await signUp("late@example.com")).toMatchObject({ status: "signed_in" });
  });

  it.each([
    { title: "an imported name that the account never had is kept", sub: null, account_names: [], kept: "Vera" },
    {
      title: "a name that was removed from the account is removed",
      sub: "s-1",
      account_names: ["last_name"],
      kept: "",
    },
    { title: "a name of a profile of an earlier version is kept", sub: "s-1", account_names: undefined, kept: "Vera" },
    { title: "a name of a replaced account is kept", sub: "s-0", account_names: ["last_name"], kept: "Vera" },
  ] as const)("$title", async ({ title, sub: storedSub, account_names, kept }) => {
    const email = `${title.replaceAll(" ", "-")}@example.com`;
    const given = storedSub === null ? null : `${storedSub} ${title}`;
    const user = users.newUser({ sub: given, username: "vera", email, last_name: "Vera" }, new Date(), Math.random);
    const { account_names: _, ...older } = user;
    await write(api.table, [
      { put: { ...keys.user(user.id), ...older, ...(account_names && { account_names }) } },
      { put: { ...keys.email(email), user_id: user.id } },
      ...(given === null ? [] : [{ put: { ...keys.subject(given), user_id: user.id } }]),
    ]);
    const account = { sub: `s-1 ${title}`, accountName: "vera", username: undefined, email, first_name: "Ana" };
    const options = { now: new Date(), isGone: async () => true };
    const person = { ...account, last_name: undefined, isVerified: true, isInvited: true };
    expect(await signIn(api.table, person, options)).toBe(user.id);
    expect(await signIn(api.table, person, options)).toBe(user.id);
    expect(await users.find(api.table, user.id)).toMatchObject({
      first_name: "Ana",
      last_name: kept,
      account_names: ["first_name"],
    });
  });
});
