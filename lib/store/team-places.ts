import * as v from "valibot";
import { storedEntries } from "../fields/field.ts";
import { teamMemberFields } from "../fields/team-member.ts";
import { endOf, type Grantor, type LastingRight, rightIn } from "../values/lasting-right.ts";
import type { Item } from "./expression.ts";
import { keys, prefixOf } from "./keys.ts";
import { queryAll } from "./query-all.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A person's place in the team of a community, as it is stored. It no longer counts once its right has ended. */
const StoredTeamMember = v.object(storedEntries(teamMemberFields));
export type StoredTeamMember = v.InferOutput<typeof StoredTeamMember>;

export const fromItem = (item: Item): StoredTeamMember => v.parse(StoredTeamMember, item);

/** Whether a right that was given in a community has neither ended with a change of owner nor with a restore. */
export const isInForce = (
  community: Grantor,
  { right }: { readonly right: LastingRight },
  { runtime }: Reader,
): boolean => endOf(right, rightIn(community, runtime.epoch)) === undefined;

/** A person's place in the team of a community, even if its right has ended. An erased person has none. */
export async function findPlace(
  table: Reader,
  communityId: number,
  userId: number,
): Promise<StoredTeamMember | undefined> {
  const [item, erasure] = await Promise.all([
    table.get(keys.teamMember(communityId, userId)),
    table.get(keys.erasure(userId)),
  ]);
  return item && !erasure ? fromItem(item) : undefined;
}

/** The ids of the communities in whose team a person is, even if the right has ended. */
export async function communitiesOf(table: Reader, userId: number): Promise<number[]> {
  const items = await queryAll(table, { pk: keys.teamOf(userId, 0).pk, prefix: prefixOf("teamOf").sk });
  return items.map(({ community_id }) => Number(community_id));
}

/** A person's places in the teams of communities, newest community first, even if the right has ended. */
export async function placesOf(
  table: Reader,
  userId: number,
  communityIds: readonly number[],
): Promise<StoredTeamMember[]> {
  const items = await table.getAll(communityIds.map((id) => keys.teamMember(id, userId)));
  return items.map(fromItem).toSorted((a, b) => b.community_id - a.community_id);
}

/** Removes an erased person from all teams, without entries in the activity. Idempotent. */
export async function leaveAll(table: Writer, userId: number): Promise<void> {
  for (const communityId of await communitiesOf(table, userId))
    await write(table, [
      { delete: keys.teamMember(communityId, userId) },
      { delete: keys.teamOf(userId, communityId) },
    ]);
}
