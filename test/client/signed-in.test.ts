import { beforeAll, describe, expect, it } from "vitest";
import * as tiers from "#lib/contract/tiers.ts";
import { createOdis, createSession, createSignIn, type SignedIn, type SignIn } from "../../client/odis.ts";
import { sitePages } from "../../tools/local/pages.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity } from "../support/given.ts";

const api = startApi({ pages: sitePages({ deployment: () => api.stack.info }) });
const password = "Signed-in-person-1";
/** The code in every message of the local stack. */
const code = "000000";

let signIn: SignIn;
let deployment: Awaited<ReturnType<typeof createOdis.discover>>;
beforeAll(async () => {
  deployment = await createOdis.discover(api.origin);
  signIn = createSignIn(deployment);
});

const keys = new Map<string, string>();
/** A page of an app, all of which share one storage. */
function openPage() {
  const storage = {
    getItem: (key: string) => keys.get(key) ?? null,
    setItem: (key: string, value: string) => keys.set(key, value),
    removeItem: (key: string) => keys.delete(key),
  };
  const session = createSession({ signIn, storage });
  return { session, odis: createOdis({ ...deployment, token: session.token }) };
}

async function signInAs(email: string, secret = password): Promise<SignedIn> {
  const step = await signIn.signIn(email, secret);
  if (step.status !== "signed_in") throw new Error(step.status);
  return step.session;
}

/** Opens a page for a new person. */
async function openAs(email: string) {
  await signIn.signUp(email, password, { firstName: "Ana", lastName: "Vera" });
  await signIn.confirmSignUp(email, code);
  const tokens = await signInAs(email);
  const page = openPage();
  await page.session.begin(tokens);
  return { ...page, tokens };
}

describe("a session on the local stack", () => {
  it("a session is restored on another page, and a token that the API rejects as expired is refreshed", async () => {
    const { tokens } = await openAs("restored@example.com");
    const [key = ""] = keys.keys();
    const { sub } = JSON.parse(atob(tokens.accessToken.split(".")[1] ?? "")) as { sub: string };
    const accessToken = await api.stack.cognito.sign({ sub, username: sub, expiresIn: -60 });
    keys.set(key, JSON.stringify({ ...tokens, accessToken }));
    const { odis, session } = openPage();
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { email: "restored@example.com" } });
    expect(keys.get(key)).not.toContain(accessToken);
    expect(session.state()).toEqual({ status: "signed_in" });
  });

  it("a sign-out on one page ends the session on the others", async () => {
    const { session, odis, tokens } = await openAs("signed-out@example.com");
    const other = openPage();
    expect(await other.odis.get("/odis/v1/me")).toMatchObject({ user: { first_name: "Ana" } });
    await other.session.signOut();
    await expect(odis.get("/odis/v1/me")).rejects.toMatchObject({ code: "missing_token" });
    expect(session.state()).toEqual({ status: "signed_out", hasEnded: false });
    await expect(signIn.refresh(tokens.refreshToken ?? "")).rejects.toMatchObject({ code: "NotAuthorizedException" });
  });

  it("a person changes their name, and the API has the new name immediately", async () => {
    const { session, odis } = await openAs("renamed@example.com");
    await session.changeName({ firstName: "Anna" });
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { first_name: "Anna", last_name: "Vera" } });
    await session.changeName({ lastName: "" });
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { first_name: "Anna", last_name: "" } });
  });

  it("a person changes their email address, which counts once it is confirmed", async () => {
    const { session, odis } = await openAs("old@example.com");
    expect(await session.changeEmail("new@example.com")).toEqual({ destination: "n***@e***" });
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { email: "old@example.com" } });
    await expect(session.confirmEmail("111111")).rejects.toMatchObject({ code: "CodeMismatchException" });
    await session.confirmEmail(code);
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { email: "new@example.com" } });
    expect(await signInAs("new@example.com")).toMatchObject({ accessToken: expect.any(String) as string });
    await openAs("taken@example.com");
    await expect(session.changeEmail("new@example.com")).rejects.toMatchObject({ code: "AliasExistsException" });
  });

  it("a person changes their password, and a wrong old password does not end the session", async () => {
    const { session } = await openAs("careful@example.com");
    const wrong = session.changePassword("Not-my-password-1", "Another-password-1");
    await expect(wrong).rejects.toMatchObject({ code: "NotAuthorizedException" });
    await session.changePassword(password, "Another-password-1");
    expect(session.state()).toEqual({ status: "signed_in" });
    await expect(signInAs("careful@example.com")).rejects.toMatchObject({ code: "NotAuthorizedException" });
    await signInAs("careful@example.com", "Another-password-1");
  });

  it("an account changes with an expired access token, too, and not without a session", async () => {
    const { session, odis, tokens } = await openAs("expired@example.com");
    const { sub } = JSON.parse(atob(tokens.accessToken.split(".")[1] ?? "")) as { sub: string };
    const accessToken = await api.stack.cognito.sign({ sub, username: sub, expiresIn: -60 });
    await session.begin({ ...tokens, accessToken });
    await session.changeName({ firstName: "Anna" });
    expect(await odis.get("/odis/v1/me")).toMatchObject({ user: { first_name: "Anna" } });
    await session.signOut();
    await expect(session.changeName({ firstName: "Ana" })).rejects.toMatchObject({ message: "Nobody is signed in" });
  });
});

it("a person signs up, pays, and gets access", async () => {
  const community = await aCommunity(api.table);
  const params = { community_id: community.id };
  const tier = { name: "Friend", monthly_price_dollars: 10 };
  const { body } = await api.call(tiers.create, { as: admin, params, body: { tier } });
  const { odis } = await openAs("fan@example.com");
  const { url } = await odis.post("/odis/v1/communities/{community_id}/checkout_sessions", {
    params: { path: params },
    body: { tier_id: body.id, success_url: `${api.origin}/yes`, cancel_url: `${api.origin}/no` },
  });
  const waiting = odis.waitForAccess(community.id);
  await fetch(`${url}/complete`, { method: "POST", body: "{}" });
  expect(await waiting).toMatchObject({ is_member: true, access: { reason: "active" } });
});
