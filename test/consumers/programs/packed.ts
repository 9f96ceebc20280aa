import { createOdis, createSignIn, OdisProblem, tokenOf } from "@odis/client";
import { stack } from "./stack.js";

/** What a fan app does with the packed client, from sign-up to a membership, and what an owner does. */
async function main(): Promise<object> {
  const signIn = createSignIn(stack.pool);
  await signIn.signUp(stack.email, stack.password, { firstName: "Ana" });
  await signIn.confirmSignUp(stack.email, "000000");
  const step = await signIn.signIn(stack.email, stack.password);
  if (step.status !== "signed_in") throw new Error(step.status);
  const fan = createOdis({ baseUrl: stack.url, token: tokenOf(signIn, step.session) });

  const { data: found } = await fan.get("/api/v1/communities/explore", { params: { query: { per: 1 } } });
  const community_id = found[0]?.community_id ?? 0;
  const params = { path: { community_id } };
  const { data: tiers } = await fan.get("/odis/v1/communities/{community_id}/tiers", { params });
  const tier = tiers.find(({ requires_shipping_address: needsAddress }) => !needsAddress);
  const session = await fan.post("/odis/v1/communities/{community_id}/checkout_sessions", {
    params,
    body: { tier_id: tier?.id ?? 0, success_url: `${stack.url}/`, cancel_url: `${stack.url}/` },
  });
  // The hosted page of the stand-in for Stripe.
  await fetch(`${session.url}/complete`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
  });
  const membership = () => fan.get("/odis/v1/communities/{community_id}/membership", { params });
  while (!(await membership()).is_member) await new Promise((resolve) => setTimeout(resolve, 50));
  const { access } = await membership();
  const { user } = await fan.get("/odis/v1/me");
  await signIn.signOut(step.session.refreshToken ?? "");

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
