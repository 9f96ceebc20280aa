import createClient from "openapi-fetch";
import type { paths } from "./paths.js";
import { stack } from "./stack.js";

/** A first program with the types of openapi-typescript and the client openapi-fetch. */
const clientOf = (token: string) =>
  createClient<paths>({ baseUrl: stack.url, headers: { authorization: `Bearer ${token}` } });

function dataOf<T>({ data, error }: { data?: T; error?: { code: string; detail: string } }): T {
  if (data === undefined) throw new Error(`${error?.code}: ${error?.detail}`);
  return data;
}

const fan = clientOf(stack.fanToken);
const explored = dataOf(await fan.GET("/api/v1/communities/explore", { params: { query: { per: 1 } } }));
const community_id = explored.data[0]?.community_id ?? 0;
const path = { community_id };
const community = dataOf(await fan.GET("/odis/v1/communities/{id}", { params: { path: { id: community_id } } }));
const tiers = dataOf(await fan.GET("/odis/v1/communities/{community_id}/tiers", { params: { path } }));
const session = dataOf(
  await fan.POST("/odis/v1/communities/{community_id}/checkout_sessions", {
    params: { path },
    body: { tier_id: tiers.data[0]?.id ?? 0, success_url: `${stack.url}/`, cancel_url: `${stack.url}/` },
  }),
);
const membership = dataOf(await fan.GET("/odis/v1/communities/{community_id}/membership", { params: { path } }));

const owner = clientOf(stack.ownerToken);
const members = dataOf(
  await owner.GET("/odis/v1/communities/{community_id}/members", { params: { path, query: { per: 5 } } }),
);
const stats = dataOf(await owner.GET("/odis/v1/communities/{community_id}/stats", { params: { path } }));
const benefit = dataOf(
  await owner.POST("/odis/v1/communities/{community_id}/benefits", {
    params: { path },
    body: { benefit: { name: "Made with openapi-fetch" } },
  }),
);
const refused = await fan.GET("/odis/v1/communities/{community_id}/members", { params: { path } });

console.log(
  JSON.stringify({
    community: community.id === community_id,
    hosted: session.url.startsWith("http"),
    reason: membership.access.reason,
    members: members.data.map(({ user }) => user.email).length,
    active: stats.by_status.active > 0,
    benefit: benefit.name,
    refused: refused.error?.code,
  }),
);
