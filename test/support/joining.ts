import { expect } from "vitest";
import { createSession } from "#lib/contract/checkout.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import { type As, admin, type startApi } from "./api.ts";
import { eventually } from "./eventually.ts";

/** Opens a checkout, pays on Stripe's page, and waits for the webhook. @returns the path of the new member */
export async function join(
  api: ReturnType<typeof startApi>,
  as: As,
  { community_id, tier_id }: { readonly community_id: number; readonly tier_id: number },
) {
  const params = { community_id };
  const back = { success_url: `${api.origin}/yes`, cancel_url: `${api.origin}/no` };
  const { body } = await api.call(createSession, { as, params, body: { tier_id, ...back } });
  await fetch(`${body.url}/complete`, { method: "POST", body: "{}" });
  await eventually(async () => {
    const own = await api.call(membership.show, { as, params });
    expect(own.body).toMatchObject({ is_member: true, access: { reason: "active" } });
  });
  const { body: list } = await api.call(members.list, { as: admin, params, query: { per: 100 } });
  const { id = 0 } = list.data.find(({ user }) => user.id === as.id) ?? {};
  return { community_id, id };
}
