import { client } from "./hey/client.gen.js";
import {
  benefitsCreate,
  checkoutCreateSession,
  communitiesShow,
  communitiesStats,
  discoveryExplore,
  membershipShow,
  membersList,
  tiersList,
} from "./hey/index.js";
import { stack } from "./stack.js";

/** A first program with what @hey-api/openapi-ts generates. */
client.setConfig({ baseUrl: stack.url, auth: () => stack.fanToken });
const explored = await discoveryExplore({ query: { per: 1 }, throwOnError: true });
const community_id = explored.data.data[0]?.community_id ?? 0;
const path = { community_id };
const community = await communitiesShow({ path: { id: community_id }, throwOnError: true });
const tiers = await tiersList({ path, throwOnError: true });
const session = await checkoutCreateSession({
  path,
  body: { tier_id: tiers.data.data[0]?.id ?? 0, success_url: `${stack.url}/`, cancel_url: `${stack.url}/` },
  throwOnError: true,
});
const membership = await membershipShow({ path, throwOnError: true });
const refused = await membersList({ path });

client.setConfig({ auth: () => stack.ownerToken });
const members = await membersList({ path, query: { per: 5 }, throwOnError: true });
const stats = await communitiesStats({ path, throwOnError: true });
const body = { benefit: { name: "Made with hey-api" } };
const benefit = await benefitsCreate({ path, body, throwOnError: true });

console.log(
  JSON.stringify({
    community: community.data.id === community_id,
    hosted: session.data.url.startsWith("http"),
    reason: membership.data.access.reason,
    members: members.data.data.map(({ user }) => user.email).length,
    active: stats.data.by_status.active > 0,
    benefit: benefit.data.name,
    refused: refused.error?.code,
  }),
);
