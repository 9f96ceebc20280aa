import * as v from "valibot";
import { Community } from "../domain/community.ts";
import { cellsOf, Figures, memberCount } from "../domain/figures.ts";
import { byPosition, Tier } from "../domain/tier.ts";
import { isTrending } from "../domain/trend.ts";
import { Problem } from "../problem.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A community and what is read with it in the same Query. */
export type OpenCommunity = Community & {
  readonly tiers: readonly Tier[];
  /** Null until something has been counted. */
  readonly figures: Figures | null;
};

const StoredCommunity = v.omit(Community, ["trending", "member_count"]);
type StoredCommunity = v.InferOutput<typeof StoredCommunity>;

/**
 * A community with its tiers in order, archived ones included: one strongly consistent Query.
 *
 * @throws Problem `not_found`
 */
export async function open(table: Reader, communityId: number): Promise<OpenCommunity> {
  const { pk, sk } = keys.community(communityId);
  const { items } = await table.query({ pk, from: sk });
  const community = items.find((item) => item.sk === sk);
  if (!community) throw new Problem("not_found", { detail: "There is no such community" });

  const stats = items.find((item) => item.sk === keys.stats(communityId).sk);
  const figures = stats ? v.parse(Figures, stats) : null;
  const tiers = items.filter((item) => String(item.sk).startsWith("TIER#")).map((item) => v.parse(Tier, item));
  const stored = v.parse(StoredCommunity, community);
  return {
    ...stored,
    trending: isTrending(
      { score: figures?.trend_score ?? null, joiners: figures?.joiners ?? 0, pin: stored.trending_pin },
      new Date(),
    ),
    member_count: figures ? memberCount(cellsOf(figures)) : 0,
    figures,
    tiers: tiers.toSorted(byPosition),
  };
}

/** Adds a community. Throws a `Conflict` when its id or its slug is taken. */
export async function add(table: Writer, community: StoredCommunity): Promise<void> {
  await write(table, [
    { put: { ...keys.community(community.id), ...community, version: 1 }, when: "absent" },
    { put: { ...keys.slug(community.slug), community_id: community.id }, when: "absent" },
  ]);
}

/** Adds a tier to a community. Throws a `Conflict` when its id is taken. */
export async function addTier(table: Writer, communityId: number, tier: Tier): Promise<void> {
  await write(table, [
    { put: { ...keys.tier(communityId, tier.id), ...tier, version: 1 }, when: "absent" },
    { check: keys.community(communityId), when: "exists" },
  ]);
}
