import type { Community } from "../domain/community.ts";
import type { Tier } from "../domain/tier.ts";
import { type DirectoryRow, moveRow, rowKey } from "./directory-rows.ts";
import type { Write } from "./write.ts";

type Row = {
  readonly community: Pick<Community, "id" | "uuid" | "name" | "slug" | "avatar_url" | "status" | "trending_pin">;
  /** What the projections have counted. */
  readonly figures: Pick<DirectoryRow, "member_count" | "trend_score" | "joiners">;
  readonly tiers: readonly Pick<Tier, "id" | "badge" | "name">[];
  /** Where its row is so far. */
  readonly previousKey: string | undefined;
};

/**
 * What shows a community in the directory as it is from now on, for the transaction that makes it so.
 * The community's item has to take the `directory_key`, on the condition that it still has the previous one.
 */
export function communityRowWrites(
  { community, figures, tiers, previousKey }: Row,
  now: Date,
): { readonly directory_key: string; readonly writes: readonly Write[] } {
  const { id, uuid, name, slug, avatar_url, status, trending_pin } = community;
  const badges = Object.fromEntries(tiers.map((tier) => [String(tier.id), tier.badge ?? tier.name]));
  const row = { id, uuid, name, slug, avatar_url, trending_pin, ...figures, badges, is_listed: status === "active" };
  return { directory_key: rowKey(previousKey, id, now), writes: moveRow(previousKey, row, now) };
}
