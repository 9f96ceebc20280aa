import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { begin, resume } from "#lib/billing/operations.ts";
import { routes } from "#lib/contract/index.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import * as communities from "#lib/store/communities.ts";
import { Conflict } from "#lib/store/failure.ts";
import { keys } from "#lib/store/keys.ts";
import * as operations from "#lib/store/operations.ts";
import { handler as activateBenefit } from "../../functions/benefits/activate.ts";
import { handler as archiveBenefit } from "../../functions/benefits/archive.ts";
import { handler as assignBenefit } from "../../functions/benefits/assign-to-tiers.ts";
import { handler as createBenefit } from "../../functions/benefits/create.ts";
import { handler as removeBenefit } from "../../functions/benefits/remove.ts";
import { handler as updateBenefit } from "../../functions/benefits/update.ts";
import { handler as stats } from "../../functions/communities/stats.ts";
import { handler as updateCommunity } from "../../functions/communities/update.ts";
import { handler as revokeKey } from "../../functions/keys/remove.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as cancel } from "../../functions/members/cancel-subscription.ts";
import { handler as importMembers } from "../../functions/members/import-batch.ts";
import { handler as issueRefund } from "../../functions/members/issue-refund.ts";
import { handler as refundCharge } from "../../functions/members/refund-charge.ts";
import { handler as unblock } from "../../functions/members/unblock.ts";
import { handler as uncancel } from "../../functions/members/uncancel-subscription.ts";
import { handler as updateMember } from "../../functions/members/update.ts";
import { handler as changeSubscription } from "../../functions/subscriptions/change.ts";
import { handler as dropScheduledChange } from "../../functions/subscriptions/drop-scheduled-change.ts";
import { handler as removeFromTeam } from "../../functions/team/remove.ts";
import { handler as updateTeam } from "../../functions/team/update.ts";
import { handler as createTier } from "../../functions/tiers/create.ts";
import { handler as removeTier } from "../../functions/tiers/remove.ts";
import { handler as updateTier } from "../../functions/tiers/update.ts";
import type { As } from "../support/api.ts";
import { beforeWrite } from "../support/before-write.ts";
import type { Call } from "../support/direct.ts";
import { aBenefit, aMember, anAddress, anApiKey, aTeamMember, givenBy } from "../support/given.ts";
import { atStripe } from "../support/money/checks.ts";
import { forMember } from "../support/money/handlers.ts";
import { origin } from "../support/money/people.ts";
import { startMoney } from "../support/money.ts";
import { setUp } from "../support/set-up.ts";

const money = startMoney();

const period = { current_period_start: "2026-01-01T00:00:00.000Z", current_period_end: "2099-01-01T00:00:00.000Z" };
const ending = { cancel_at_period_end: true, cancel_at: period.current_period_end };

/** A community with records that each of the requests below would change. */
const world = setUp(async () => {
  const { id, owner, tier } = await money.aPricedCommunity();
  const community = { id, owner, tier };
  const big = await money.aPricedTier(community, { name: "Reserva", monthly_price_dollars: 50 });
  const free = await money.aPricedTier(community, { name: "Guest", monthly_price_dollars: 0 });
  const subscriber = await money.aSubscriber(community);
  const [leaving, changing] = [await money.aSubscriber(community), await money.aSubscriber(community)];
  await money.call(cancel, { ...forMember(leaving), body: { mode: "at_period_end" } });
  await money.call(changeSubscription, { ...forMember(changing), body: { tier_id: big.id } });
  const guest = await money.aSubscriber({ ...community, tier: free });
  await money.stripe.checkout.sessions.create({
    mode: "subscription",
    success_url: origin,
    line_items: [{ price: tier.stripe_price_id ?? "", quantity: 1 }],
    customer: guest.stripe_customer_id ?? "",
  });
  const { charges } = await atStripe(money, subscriber);
  const archived = await aBenefit(money.table, community, { name: "Archive" });
  await money.call(archiveBenefit, { params: { id: archived.id }, body: {} });
  return {
    community,
    params: { community_id: id },
    big,
    subscriber,
    leaving,
    changing,
    guest,
    charge_id: charges[0]?.id,
    benefit: await aBenefit(money.table, community),
    archived,
    unused: await money.aPricedTier(community, { name: "Unused", position: 4 }),
    imported: await aMember(money.table, community, period),
    importedLeaving: await aMember(money.table, community, { ...period, ...ending }),
    blocked: await aMember(money.table, community, { is_blocked: true, blocked_at: period.current_period_start }),
  };
});

type Row = readonly [title: string, endpoint: Endpoint, call: () => Call];

const address = anAddress({ line1: "Calle 2" });
const aRecord = () => ({
  user: { email: "late@example.com", first_name: "Late", last_name: "Member" },
  tier_id: world.unused.id,
  status: "active",
  created_at: period.current_period_start,
  ...period,
});

/** A request to each route that writes and that roles may call. */
const requests: readonly Row[] = [
  [
    "editing notes",
    updateMember,
    () => ({ ...forMember(world.subscriber), body: { member: { metadata: { notes: "late" } } } }),
  ],
  [
    "editing an address",
    updateMember,
    () => ({ ...forMember(world.imported), body: { member: { shipping_address: address } } }),
  ],
  [
    "editing an address at Stripe",
    updateMember,
    () => ({ ...forMember(world.subscriber), body: { member: { shipping_address: address } } }),
  ],
  ["blocking", block, () => ({ ...forMember(world.subscriber), body: {} })],
  ["unblocking", unblock, () => ({ ...forMember(world.blocked), body: {} })],
  ["a cancellation", cancel, () => ({ ...forMember(world.subscriber), body: { mode: "immediately" } })],
  [
    "a cancellation without a subscription",
    cancel,
    () => ({ ...forMember(world.imported), body: { mode: "immediately" } }),
  ],
  [
    "a cancellation of a free subscription",
    cancel,
    () => ({ ...forMember(world.guest), body: { mode: "immediately" } }),
  ],
  ["a withdrawn cancellation", uncancel, () => ({ ...forMember(world.leaving), body: {} })],
  [
    "a withdrawn cancellation without a subscription",
    uncancel,
    () => ({ ...forMember(world.importedLeaving), body: {} }),
  ],
  ["a refund", issueRefund, () => ({ ...forMember(world.subscriber), body: { amount_cents: 100 } })],
  [
    "a refund of a charge",
    refundCharge,
    () => ({ ...forMember(world.subscriber), body: { charge_id: world.charge_id } }),
  ],
  [
    "a change of a subscription",
    changeSubscription,
    () => ({ ...forMember(world.subscriber), body: { tier_id: world.big.id } }),
  ],
  ["dropping a change", dropScheduledChange, () => forMember(world.changing)],
  ["an import", importMembers, () => ({ params: world.params, body: { members: [aRecord()] } })],
  [
    "creating a tier",
    createTier,
    () => ({ params: world.params, body: { tier: { name: "Late", monthly_price_dollars: 5 } } }),
  ],
  [
    "changing a tier",
    updateTier,
    () => ({ params: { id: world.unused.id }, body: { tier: { name: "Late", monthly_price_dollars: 7 } } }),
  ],
  ["deleting a tier", removeTier, () => ({ params: { id: world.unused.id } })],
  [
    "creating a benefit",
    createBenefit,
    () => ({ params: world.params, body: { benefit: { name: "Late", description: "" } } }),
  ],
  [
    "changing a benefit",
    updateBenefit,
    () => ({ params: { id: world.benefit.id }, body: { benefit: { name: "Late" } } }),
  ],
  [
    "assigning a benefit",
    assignBenefit,
    () => ({ params: { id: world.benefit.id }, body: { tier_ids: [world.unused.id] } }),
  ],
  ["archiving a benefit", archiveBenefit, () => ({ params: { id: world.benefit.id }, body: {} })],
  ["activating a benefit", activateBenefit, () => ({ params: { id: world.archived.id }, body: {} })],
  ["deleting a benefit", removeBenefit, () => ({ params: { id: world.benefit.id } })],
  [
    "renaming the community",
    updateCommunity,
    () => ({ params: { id: world.community.id }, body: { community: { name: "Late" } } }),
  ],
];

/** Someone who may make all requests, and how they lose that right. */
type Losing = { readonly as?: As; readonly headers?: Record<string, string>; readonly lose: () => Promise<unknown> };

const ownerNow = async (): Promise<As> => ({ id: (await communities.open(money.table, world.community.id)).owner_id });

async function transfer(): Promise<void> {
  const community = await communities.open(money.table, world.community.id);
  const { id: owner_id } = await money.aPerson();
  await communities.update(money.table, community, { owner_id }, givenBy());
}

const aManager = async () => {
  const { user_id } = await aTeamMember(money.table, world.community, { role: "manager" });
  return { as: { id: user_id }, params: { ...world.params, user_id } };
};

const aKey = async () => {
  const { id, key } = await anApiKey(money.table, world.community, { role: "manager" });
  const headers = { authorization: `Bearer ${key}` };
  // Stores the time of use, so that the next request does not.
  await money.call(stats, { params: { id: world.community.id }, headers, as: undefined });
  return { id, headers };
};

const forbidden = [403, "forbidden"] as const;
const invalid = [401, "invalid_token"] as const;

const ways: readonly (readonly [title: string, refusal: readonly [number, string], () => Promise<Losing>])[] = [
  [
    "a manager who is removed",
    forbidden,
    async () => {
      const { as, params } = await aManager();
      return { as, lose: async () => money.call(removeFromTeam, { params, as: await ownerNow() }) };
    },
  ],
  [
    "a manager who becomes a viewer",
    forbidden,
    async () => {
      const { as, params } = await aManager();
      const body = { team_member: { role: "viewer" } };
      return { as, lose: async () => money.call(updateTeam, { params, as: await ownerNow(), body }) };
    },
  ],
  ["an owner whose community is transferred", forbidden, async () => ({ as: await ownerNow(), lose: transfer })],
  [
    "an API key that is revoked",
    invalid,
    async () => {
      const { id, headers } = await aKey();
      return { headers, lose: async () => money.call(revokeKey, { params: { id }, as: await ownerNow() }) };
    },
  ],
];

/** Without rate limits, whose writes would come first. */
const platform = (over: Partial<Mount> = {}): Mount => money.platform({ limit: async () => {}, ...over });

const askAs = ({ as, headers }: Losing, endpoint: Endpoint, call: Call, over?: Partial<Mount>) =>
  money.call(endpoint, { ...call, as, headers: { ...call.headers, ...headers } }, platform(over));

const everything = async () => (await money.client.send(new ScanCommand({ TableName: money.name }))).Items;

/** Requests to Stripe that change something which anyone could notice. */
const isEffect = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method !== "GET" && !/\/v1\/(products|prices|invoices\/create_preview)$/.test(path);

describe("a right that is lost", () => {
  it("the requests are to every route that writes and that roles may call", () => {
    const keyOf = ({ method, path }: Endpoint["route"]) => `${method} ${path}`;
    const expected = routes
      .filter(({ right, table, method }) => right !== undefined && table === "write" && method !== "GET")
      .map(keyOf);
    expect([...new Set(requests.map(([, { route }]) => keyOf(route)))].toSorted()).toEqual(expected.toSorted());
  });

  const isGone = /removed|revoked/;
  const rows = requests.flatMap(([request, endpoint, call]) =>
    ways.flatMap(([way, refusal, aCaller]) =>
      [false, ...(endpoint.route.method === "POST" && isGone.test(way) ? [true] : [])].map((isRepeatable) => ({
        title: `${request}${isRepeatable ? " with an idempotency key" : ""} by ${way}`,
        endpoint,
        call,
        refusal,
        aCaller,
        isRepeatable,
      })),
    ),
  );

  it.each(rows)(
    "$title before the first write is refused without an effect",
    async ({ title, endpoint, call, refusal, aCaller, isRepeatable }) => {
      const caller = await aCaller();
      let before: unknown;
      const losing = async () => {
        await caller.lose();
        before = await everything();
      };
      const input = isRepeatable ? { ...call(), headers: { "idempotency-key": title } } : call();
      let answer: Awaited<ReturnType<typeof askAs>> | undefined;
      const { asked } = await money.requestsDuring(async () => {
        answer = await beforeWrite(money.client, losing, () => askAs(caller, endpoint, input));
        return answer;
      });
      expect([answer?.status, answer?.body?.code]).toEqual(refusal);
      expect(asked.filter(isEffect)).toEqual([]);
      expect(await everything()).toEqual(before);
    },
  );

  it.each<Row>([
    [
      "an address",
      updateMember,
      () => ({ ...forMember(world.leaving), body: { member: { shipping_address: address } } }),
    ],
    ["a refund", issueRefund, () => ({ ...forMember(world.leaving), body: { amount_cents: 100 } })],
  ])("%s that has begun at Stripe is completed although the right is lost", async (_, endpoint, call) => {
    for (const [, , aCaller] of ways) {
      const caller = await aCaller();
      let isLost = false;
      const billing: Mount["billing"] = (timeLeft) => async (ask, key) => {
        let result: unknown;
        const { asked } = await money.requestsDuring(async () => {
          result = await money.platform().billing?.(timeLeft)(ask, key);
          return {};
        });
        if (!isLost && asked.some(isEffect)) {
          isLost = true;
          await caller.lose();
        }
        return result as never;
      };
      const { status } = await askAs(caller, endpoint, call(), { billing });
      expect([Number(status) < 300, isLost]).toEqual([true, true]);
    }
  });

  it("a refused operation is not begun again after its caller has lost the right", async () => {
    const request = { operationId: "op_lost", fingerprint: null, actorId: 1, requestId: "test", begunAt: new Date() };
    const intent = { kind: "uncancel", subscription_id: "sub_lost" } as const;
    const context = { table: money.table, billing: undefined as never, now: new Date() };
    const operation = await begin(context, world.subscriber, intent, { ...request, isConditional: false });
    await operations.refuse(money.table, operation, new Date());
    const refused = await operations.find(money.table, world.subscriber.id, operation.id);
    if (!refused) throw new Error("The operation is not stored");
    const check = keys.community(world.community.id);
    const lost = { ...money.table, authorization: () => [{ check, is: { ownership: -1 } }] };
    await expect(resume({ ...context, table: lost }, refused)).rejects.toBeInstanceOf(Conflict);
    expect(await resume(context, refused)).toMatchObject({ state: "open" });
  });
});
