import { createOdis, createSession, createSignIn, OdisProblem } from "@odis/client";
import { stack } from "./stack.js";

/** What a fan app does with the packed client, from sign-up to a membership, and what an owner does. */
async function main(): Promise<object> {
  const deployment = await createOdis.discover(stack.url);
  const signIn = createSignIn(deployment);
  await signIn.signUp(stack.email, stack.password, { firstName: "Ana" });
  await signIn.confirmSignUp(stack.email, "000000");
  const step = await signIn.signIn(stack.email, stack.password);
  if (step.status !== "signed_in") throw new Error(step.status);
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => items.set(key, value),
    removeItem: (key: string) => items.delete(key),
  };
  const session = createSession({ signIn, storage });
  await session.begin(step.session);
  const fan = createOdis({ ...deployment, token: session.token });

  const { data: found } = await fan.get("/api/v1/communities/explore", { params: { query: { per: 1 } } });
  const community_id = found[0]?.community_id ?? 0;
  const params = { path: { community_id } };
  const { data: tiers } = await fan.get("/odis/v1/communities/{community_id}/tiers", { params });
  const tier = tiers.find(({ requires_shipping_address: needsAddress }) => !needsAddress);
  const checkout = await fan.post("/odis/v1/communities/{community_id}/checkout_sessions", {
    params,
    body: { tier_id: tier?.id ?? 0, success_url: `${stack.url}/`, cancel_url: `${stack.url}/` },
  });
  // The hosted page of the stand-in for Stripe.
  await fetch(`${checkout.url}/complete`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const { access } = await fan.waitForAccess(community_id);
  // Refreshes the tokens.
  await session.changeName({ firstName: "Anna" });
  const { user } = await fan.get("/odis/v1/me");
  await session.signOut();

  const owner = createOdis({ baseUrl: stack.url, token: () => stack.ownerToken });
  const members = "/odis/v1/communities/{community_id}/members";
  let count = 0;
  for await (const member of owner.iterate(members, { params: { ...params, query: { per: 20 } } }))
    if (member.status !== "canceled") count++;
  const { data: page, headers } = await owner.request("get", members, { params: { ...params, query: { per: 1 } } });
  const refused = await owner
    .get(`${members}/{id}`, { params: { path: { community_id, id: 1 } } })
    .catch((error: unknown) => error);

  return {
    granted: access.granted,
    name: user?.first_name ?? null,
    hasManyMembers: count > 40,
    perPage: page.data.length,
    hasRequestId: headers.has("x-request-id"),
    problem: refused instanceof OdisProblem ? [refused.code, refused.status, refused.message !== ""] : refused,
  };
}

console.log(JSON.stringify(await main()));
