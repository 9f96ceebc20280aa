import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { expect, it } from "vitest";
import { cognito } from "#lib/auth/verify.ts";
import { handler as listBenefits } from "../../../../functions/benefits/list.ts";
import { handler as listMembers } from "../../../../functions/members/list.ts";
import { handler as showMember } from "../../../../functions/members/show.ts";
import { appOn } from "../../../../tools/bench/peers/app.ts";
import { toolboxReads } from "../../../../tools/bench/peers/dynamodb-toolbox.ts";
import { electroReads } from "../../../../tools/bench/peers/electrodb.ts";
import { expressHandler } from "../../../../tools/bench/peers/express.ts";
import { honoHandler } from "../../../../tools/bench/peers/hono.ts";
import { type Reads, storeReads } from "../../../../tools/bench/peers/reads.ts";
import { signedRequests } from "../../../../tools/bench/signed-request.ts";
import { startTable } from "../../../support/direct.ts";
import { aBenefit, aCommunity, aMember } from "../../../support/given.ts";

const bench = startTable();

type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<unknown>;

const peers: Record<string, { on: typeof honoHandler | typeof expressHandler; reads: () => Reads }> = {
  Hono: { on: honoHandler, reads: () => storeReads(bench.table) },
  "Express with serverless-http": { on: expressHandler, reads: () => storeReads(bench.table) },
  ElectroDB: { on: honoHandler, reads: () => electroReads(bench.client, "odis-test") },
  "DynamoDB-Toolbox": { on: honoHandler, reads: () => toolboxReads(bench.client, "odis-test") },
};

it.each(Object.entries(peers))(
  "an application on %s answers three routes as our functions do",
  async (_, { on, reads }) => {
    const community = await aCommunity(bench.table);
    const { id, tier } = community;
    const [member] = [await aMember(bench.table, community), await aMember(bench.table, community)];
    await aBenefit(bench.table, community, { position: 2, tier_ids: [tier.id] });
    await aBenefit(bench.table, community, { position: 1 });
    const { events, env } = await signedRequests({
      show: `/odis/v1/communities/${id}/members/${member.id}`,
      list: `/odis/v1/communities/${id}/members`,
      benefits: `/odis/v1/communities/${id}/benefits`,
      nowhere: `/odis/v1/communities/${id}/members/1`,
    });
    Object.assign(process.env, env);
    const verify = cognito();
    const own = bench.platform({
      identify: async (token) => {
        const { userId = 0, ...person } = await verify(token);
        return { ...person, id: userId };
      },
    });
    const peer = on(appOn(reads, verify)) as unknown as Handler;
    const pairs = [
      [events.show, showMember, 200],
      [events.list, listMembers, 200],
      [events.benefits, listBenefits, 200],
      [events.nowhere, showMember, 404],
    ] as const;
    for (const [event, handler, status] of pairs) {
      const context = { getRemainingTimeInMillis: () => 10_000 } as Context;
      const expected = await handler.on(own)({ ...event }, context);
      const found = (await peer({ ...event }, context)) as typeof expected;
      expect({ path: event.rawPath, ours: expected.statusCode, theirs: found.statusCode }).toEqual({
        path: event.rawPath,
        ours: status,
        theirs: status,
      });
      if (status === 200) expect(JSON.parse(found.body ?? "")).toEqual(JSON.parse(expected.body ?? ""));
    }
  },
);
