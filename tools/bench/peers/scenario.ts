import { cognito } from "../../../lib/auth/verify.ts";
import { aBenefit, aCommunity, aMember } from "../../../test/support/given.ts";
import { mountOn } from "../../../test/support/mount.ts";
import { signedRequests } from "../signed-request.ts";
import { startTable } from "../table.ts";
import { appOn } from "./app.ts";
import { answering } from "./recording.ts";

export const routeNames = ["show", "list", "benefits"] as const;

/**
 * Creates a community with a page of members and ten benefits. Returns an admin's three requests and the table's
 * responses.
 */
export async function scenarioRequests() {
  const bench = await startTable();
  const community = await aCommunity(bench.table);
  const member = await aMember(bench.table, community);
  for (let n = 0; n < 20; n++) await aMember(bench.table, community);
  for (let n = 0; n < 10; n++) await aBenefit(bench.table, community, { position: n, tier_ids: [community.tier.id] });
  const path = `/odis/v1/communities/${community.id}`;
  const { events, env } = await signedRequests({
    show: `${path}/members/${member.id}`,
    list: `${path}/members`,
    benefits: `${path}/benefits`,
  });
  Object.assign(process.env, env, { NODE_ENV: "production" });

  const answers = new Map<string, unknown>();
  const table = answering(bench.table, answers);
  const verify = cognito();
  const app = appOn(() => table, verify);
  const mount = mountOn({
    table: () => table,
    identify: async (token) => {
      const { userId = 0, ...person } = await verify(token);
      return { ...person, id: userId };
    },
  });
  return { bench, events, env, app, mount, answers };
}

export type Scenario = Awaited<ReturnType<typeof scenarioRequests>>;
