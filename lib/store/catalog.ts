import * as benefits from "./benefits.ts";
import { fromItem, type StoredCommunity } from "./communities.ts";
import { keys } from "./keys.ts";
import type { CommunityWithBenefits } from "./open-community.ts";
import type { Reader } from "./table.ts";

type Content = Pick<CommunityWithBenefits, "tiers" | "benefits">;

/** A community with its tiers and benefits, without its figures. */
export type Catalog = StoredCommunity & Content;

type Kept = Content & { readonly version: number | undefined; readonly until: number };

/**
 * How long tiers and benefits are kept, in milliseconds. A Query can return a part of a transaction, and functions of
 * an earlier version of Odis do not count changes. What was kept then is wrong for no longer than this.
 */
const keptMs = 10_000;
/** Maximum number of communities whose tiers and benefits are kept. */
const maxKept = 50;

/**
 * A community with its tiers and benefits, for responses. If the execution environment has kept the tiers and benefits,
 * reads only the community's item, strongly consistent, which tells whether they have changed. Otherwise one Query.
 *
 * @throws Problem `not_found`
 */
export async function open(table: Reader, communityId: number): Promise<Catalog> {
  const all = keptIn(table);
  const kept = all.get(communityId);
  const now = table.runtime.now().getTime();
  if (kept && kept.until > now) {
    const item = await table.get(keys.community(communityId));
    const community = item && fromItem(item);
    if (community && community.catalog_version === kept.version)
      return { ...community, tiers: kept.tiers, benefits: kept.benefits };
  }
  const found = await benefits.open(table, communityId);
  const { tiers, benefits: own, catalog_version } = found;
  all.delete(communityId);
  all.set(communityId, { tiers, benefits: own, version: catalog_version, until: now + keptMs });
  const [oldest] = all.keys();
  if (all.size > maxKept && oldest !== undefined) all.delete(oldest);
  return found;
}

function keptIn({ memory }: Reader): Map<number, Kept> {
  const name = "catalogs";
  const all = (memory.get(name) ?? new Map()) as Map<number, Kept>;
  memory.set(name, all);
  return all;
}
