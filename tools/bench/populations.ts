import { itemOf } from "#lib/store/members/item.ts";
import { aCommunity, aTier, type GivenCommunity, memberOf } from "../../test/support/given.ts";
import { type BenchTable, putAll } from "./table.ts";

/** A community with a given number of members. */
export type Population = {
  readonly size: number;
  readonly communityId: number;
  readonly tierId: number;
  readonly community: GivenCommunity;
};

type Bench = Pick<BenchTable, "client" | "name" | "table">;

/** The id of a member by rank, the same in every population. Rank 0 is the newest. */
export const memberId = (rank: number): number => 200_000_000_000_000 - rank;

/**
 * Fills a community of each size. Members of the same rank are alike, so that a page does not depend on the size. A
 * third are in the tier. The rare ones are the oldest, which a scan would reach last: the 30 oldest are past due, and
 * the oldest is blocked.
 */
export async function populate(bench: Bench, sizes: readonly number[]): Promise<Population[]> {
  const populations: Population[] = [];
  for (const [n, size] of sizes.entries()) {
    const [communityId, tierId, otherTierId] = [n + 1, n * 10 + 11, n * 10 + 12];
    const community = await aCommunity(bench.table, { id: communityId, tier: { id: tierId } });
    await aTier(bench.table, communityId, { id: otherTierId, position: 2 });
    // Omits the items for searches by text and by person, which no measured request reads.
    await putAll(bench, size, (rank) =>
      itemOf(
        memberOf(community, {
          id: memberId(rank),
          tier_id: rank % 3 === 0 ? tierId : otherTierId,
          status: rank >= size - 30 ? "past_due" : "active",
          is_blocked: rank === size - 1,
          custom: { seat: "A0" },
        }),
      ),
    );
    populations.push({ size, communityId, tierId, community });
  }
  return populations;
}
