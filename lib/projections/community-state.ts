import { type Figures, noFigures } from "../domain/figures.ts";
import { type SumsByDay, withoutMoneyBefore } from "../domain/series.ts";
import { partitionFrom, type StoredCommunity } from "../store/communities.ts";
import { type DirectoryRow, directoryRowOf, moveRow, rowKey } from "../store/directory-rows.ts";
import { keys } from "../store/keys.ts";
import { type StoredStats, statsFrom } from "../store/stats.ts";
import type { Reader, Write } from "../store/table.ts";

/** The data other than members from which the projections of a community are derived. */
export type CommunityState = {
  readonly communityId: number;
  /** Undefined if there are members of the community but no community. */
  readonly community: StoredCommunity | undefined;
  readonly tiers: ReturnType<typeof partitionFrom>["tiers"];
  readonly stats: StoredStats | undefined;
  /** The id of the rebuild for which changes of the community's members are collected. */
  readonly notedFor: string | undefined;
};

/** Reads a community's state with one strongly consistent Query. */
export async function readState(table: Reader, communityId: number): Promise<CommunityState> {
  const { pk, sk: from } = keys.community(communityId);
  const { items } = await table.query({ pk, from });
  const { stats, ...partition } = partitionFrom(items, communityId);
  const recount = items.find(({ sk }) => sk === keys.recount(communityId).sk);
  const notedFor = recount && String(recount.rebuild_id);
  return { communityId, ...partition, stats: stats && statsFrom(stats), notedFor };
}

/**
 * The sums without those from before the community was created, when imported members may have paid. Series begin at 0.
 */
export const countedDays = ({ community }: CommunityState, days: SumsByDay): SumsByDay =>
  community ? withoutMoneyBefore(days, community.created_at.slice(0, 10)) : days;

/** The community's directory row with these figures. Undefined if the community does not exist. */
export const rowOf = ({ community, tiers }: CommunityState, figures: Figures = noFigures): DirectoryRow | undefined =>
  community && directoryRowOf({ community, tiers, figures });

/** A condition that makes its transaction fail if the community's row has moved since it was read. */
export const rowIsStill = ({ community, communityId }: CommunityState): Write => ({
  check: keys.community(communityId),
  when: { is: { directory_key: community?.directory_key } },
});

/** Moves the community's row if it has not moved since it was read. */
export function moveRowOf({ community, communityId }: CommunityState, row: DirectoryRow, now: Date): Write[] {
  const previous = community?.directory_key;
  return [
    {
      update: keys.community(communityId),
      set: { directory_key: rowKey(previous, communityId, now) },
      when: { is: { directory_key: previous } },
    },
    ...moveRow(previous, row, now),
  ];
}
