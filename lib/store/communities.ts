import * as v from "valibot";
import { Community } from "../domain/community.ts";
import { byPosition, Tier } from "../domain/tier.ts";
import { Problem } from "../problem.ts";
import { communityRowWrites } from "./community-row.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A community and what is read with it in the same Query. */
export type OpenCommunity = Community & { readonly tiers: readonly Tier[] };

const StoredCommunity = v.omit(Community, ["trending", "member_count"]);
type StoredCommunity = v.InferOutput<typeof StoredCommunity>;
const Stats = v.object({ member_count: v.number() });

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
  const tiers = items.filter((item) => String(item.sk).startsWith("TIER#")).map((item) => v.parse(Tier, item));
  const stored = v.parse(StoredCommunity, community);
  return {
    ...stored,
    trending: stored.trending_pin === "on",
    member_count: stats ? v.parse(Stats, stats).member_count : 0,
    tiers: tiers.toSorted(byPosition),
  };
}

const noFigures = { member_count: 0, trend_score: null, joiners: 0 };

/** Adds a community, and to the directory. Throws a `Conflict` when its id or its slug is taken. */
export async function add(table: Writer, community: StoredCommunity, now: Date): Promise<void> {
  const row = communityRowWrites({ community, figures: noFigures, tiers: [], previousKey: undefined }, now);
  const { directory_key } = row;
  await write(table, [
    { put: { ...keys.community(community.id), ...community, directory_key, version: 1 }, when: "absent" },
    ...row.writes,
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
