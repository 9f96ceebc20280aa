import { linkOf } from "#lib/billing/operations.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { membershipOf } from "#lib/store/members/item.ts";
import * as memberStore from "#lib/store/members/members.ts";
import { aBenefit, aCommunity, aDestination, aTier, type GivenCommunity, memberOf } from "../../test/support/given.ts";
import { populate } from "./populations.ts";
import type { Given } from "./requests.ts";
import type { Shop } from "./shop.ts";
import { putAll } from "./table.ts";

/** Something that grows, and does not appear in the responses. */
export type Direction = {
  readonly name: string;
  readonly sizes: readonly number[];
  /** Creates the records of a size, for at most `uses` requests that change a member. */
  readonly given: (shop: Shop, size: number, uses: number) => Promise<Given>;
};

/** Text of the maximum length of a benefit's description. */
const longText = "Barrel proof. ".repeat(143).slice(0, 2000);

export const directions: readonly Direction[] = [
  {
    name: "members of the community",
    sizes: [100, 1000, 10_000, 100_000],
    async given({ money }, size) {
      const [population] = await populate(money, [size]);
      if (!population) throw new Error("There is no community");
      const community = await money.price(population.community);
      return { community, spare: community };
    },
  },
  { name: "payments of the member", sizes: [1, 20, 100, 400], given: longMembers },
  {
    name: "tiers and benefits of the community",
    sizes: [2, 50, 195],
    async given({ money }, size) {
      const community = await money.aPricedCommunity();
      const tiers = Math.round(size / 4.3);
      for (let n = 1; n < tiers; n++) await aTier(money.table, community.id, { position: n });
      for (let n = tiers; n < size; n++)
        await aBenefit(money.table, community, { description: longText, position: n, tier_ids: [community.tier.id] });
      return { community, spare: community, communityOfTiers: async () => community };
    },
  },
  {
    name: "communities of the person",
    sizes: [1, 10, 100],
    async given({ money }, size) {
      const community = await money.aPricedCommunity();
      const others: GivenCommunity[] = [];
      for (let n = 1; n < size; n++) others.push(await aCommunity(money.table));
      const subscriber = async () => {
        const member = await money.aSubscriber(community);
        await putAll(money, others.length, (n) =>
          membershipOf(memberOf(others[n] ?? community, { user: member.user })),
        );
        return member;
      };
      return { community, spare: community, subscriber };
    },
  },
  {
    name: "deliveries of a destination",
    sizes: [1, 30, 300],
    async given({ money }, size) {
      const { table } = money;
      const community = await money.aPricedCommunity();
      const destination = await aDestination(table, community);
      const at = { ...destination, community_id: community.id };
      for (let n = 0; n < size; n++) {
        const event = { id: `event ${n}`, type: "member.joined", timestamp: new Date().toISOString() };
        await deliveries.add(table, at, { event, isLast: false }, new Date());
      }
      return { community, spare: community, destination };
    },
  },
];

/** A community with members who have paid for about `size` months. */
async function longMembers({ money }: Shop, size: number, uses: number): Promise<Given> {
  const { table, stripe } = money;
  const community = await money.aPricedCommunity();
  const members: StoredMember[] = [];
  for (let n = 0; n < uses; n++) members.push(await money.aSubscriber(community));
  const context = { table, billing: billingOf(async () => stripe)(() => 20_000), now: new Date() };
  // The last month is stored by itself, as a webhook stores it.
  for (const months of [size - 2, 1]) {
    if (months <= 0) continue;
    await money.control("advance", { days: 30.44 * months });
    for (const member of members) await syncMember(context, linkOf(member));
  }
  const subscriber = async () => {
    const next = members.shift();
    const member = next && (await memberStore.find(table, next.community_id, next.id));
    if (!member) throw new Error("Each member is used once");
    return member;
  };
  return { community, spare: community, subscriber };
}
