import * as v from "valibot";
import type { Community, CommunityCreate, CommunityUpdate } from "../domain/community.ts";
import { Figures } from "../domain/figures.ts";
import { slugsOf } from "../domain/slug.ts";
import { byPosition } from "../domain/tier.ts";
import { isTrending } from "../domain/trend.ts";
import { communityFields } from "../fields/community.ts";
import { type ShownIn, shownIn, storedEntries } from "../fields/field.ts";
import { newId, newUuid } from "../ids.ts";
import { pick } from "../pick.ts";
import { type IssueCode, Problem, validationFailed } from "../problem.ts";
import type { Runtime } from "../runtime.ts";
import { type Actor, appendCommunityEntry } from "./activity.ts";
import { actionOf, alteredBy } from "./altered.ts";
import { directoryRowOf, moveRow, rowFigures, rowKey } from "./directory-rows.ts";
import { expireSessions } from "./due.ts";
import type { Item } from "./expression.ts";
import { Conflict } from "./failure.ts";
import { type Key, keys, ofKind } from "./keys.ts";
import type { OpenCommunity } from "./open-community.ts";
import { lastSequence } from "./sequence.ts";
import { statsAreStill } from "./stats.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { fromItem as tierFrom } from "./tiers.ts";
import { notErased } from "./users.ts";
import { timeOver, write } from "./write.ts";

const StoredCommunity = v.object(storedEntries(communityFields));
export type StoredCommunity = v.InferOutput<typeof StoredCommunity>;

export const fromItem = (item: Item): StoredCommunity => v.parse(StoredCommunity, item);

/**
 * A community with its tiers in order, including archived ones: one strongly consistent Query.
 *
 * @throws Problem `not_found`
 */
export async function open(table: Reader, communityId: number): Promise<OpenCommunity> {
  const { pk, sk } = keys.community(communityId);
  const { items } = await table.query({ pk, from: sk });
  return communityFrom(items, communityId, table.runtime);
}

/**
 * Parses a community and its tiers from items of its partition.
 *
 * @throws Problem `not_found`
 */
export function communityFrom(
  items: readonly Item[],
  communityId: number,
  { now, epoch }: Pick<Runtime, "now" | "epoch">,
): OpenCommunity {
  const { community, tiers, stats } = partitionFrom(items, communityId);
  if (!community) throw new Problem("not_found", { detail: `There is no community ${communityId}` });
  const figures = stats ? v.parse(Figures, stats) : null;
  const figures_version = stats && v.parse(v.number(), stats.version);
  return {
    ...shown(community, figures, { now: now(), epoch }),
    figures,
    figures_version,
    tiers: tiers.toSorted(byPosition),
  };
}

/** The content of a community's partition. The figures are not parsed, because callers parse different parts of them. */
export function partitionFrom(items: readonly Item[], communityId: number) {
  const find = (key: Key) => items.find(({ sk }) => sk === key.sk);
  const community = find(keys.community(communityId));
  const tiers = ofKind(items, "tier").map(tierFrom);
  return { community: community && fromItem(community), tiers, stats: find(keys.stats(communityId)) };
}

function shown(
  stored: StoredCommunity,
  figures: Figures | null,
  { now, epoch }: { readonly now: Date; readonly epoch: number },
) {
  const { member_count, trend_score, joiners } = rowFigures(figures);
  const trending = isTrending({ score: trend_score, joiners, pin: stored.trending_pin }, now);
  return { ...stored, trending, member_count, sequence: lastSequence(stored.version, epoch) };
}

/** The stored fields of a new community, without counters. */
type NewCommunity = Pick<StoredCommunity, ShownIn<typeof communityFields, "api"> & keyof StoredCommunity>;

/**
 * Adds a community and its directory row. Throws a `Conflict` if the id is taken.
 *
 * @throws Problem `slug_taken`; `validation_failed` if the owner has no profile, `person_erased` if they were erased
 */
export async function add(
  table: Writer,
  community: NewCommunity,
  by: Actor,
  ifSlugTaken: Error = slugTaken(),
): Promise<Community> {
  const { id, slug, owner_id } = community;
  const row = directoryRowOf({ community, tiers: [], figures: null });
  const rowTime = table.runtime.now();
  const stored = { ...community, directory_key: rowKey(undefined, id, rowTime), benefits_added: 0, version: 1 };
  await write(table, [
    { put: { ...keys.community(id), ...stored }, when: "absent" },
    ...moveRow(undefined, row, rowTime),
    notErased(owner_id),
    isKnown(owner_id),
    { put: { ...keys.ownedCommunity(owner_id, id), community_id: id } },
    { put: { ...keys.listedCommunity(community.status, id), community_id: id } },
    { put: { ...keys.slug(slug), community_id: id }, when: "absent", otherwise: ifSlugTaken },
    appendCommunityEntry(
      table,
      id,
      { record: { type: "community", id }, action: "created", before: null, after: pick(community, auditedFields) },
      by,
    ),
  ]);
  return shown(stored, null, { now: by.now, epoch: table.runtime.epoch });
}

/** Creates a community. Derives a free slug from the name if none is given. Throws like `add`. */
export async function create(table: Writer, input: CommunityCreate["community"], by: Actor): Promise<Community> {
  const { slug, ...rest } = input;
  const at = by.now.toISOString();
  const { random } = table.runtime;
  const uuid = newUuid(random);
  const community = {
    ...rest,
    id: newId(by.now, random),
    uuid,
    status: "active" as const,
    created_at: at,
    updated_at: at,
  };
  if (slug !== undefined) return add(table, { ...community, slug }, by);
  const found = await freeOf(table, slugsOf(community));
  return add(table, { ...community, slug: found }, by, new Conflict("The slug has been taken since"));
}

async function freeOf(table: Reader, slugs: readonly string[]): Promise<string> {
  const taken = await table.getAll(slugs.map(keys.slug));
  const free = slugs.find((slug) => !taken.some(({ pk }) => pk === keys.slug(slug).pk));
  if (free === undefined) throw new Conflict("All slugs are taken");
  return free;
}

/**
 * Updates a community if its version is still the one that was read, with its slug, owner and directory row in one
 * transaction. Writes nothing if nothing differs. Changed figures do not update the row of an archived community, so
 * unarchiving requires the figures that were read.
 *
 * @throws Problem `slug_taken`; `validation_failed` if the new owner is unknown or blocked, `person_erased` if they were
 * erased
 */
export async function update(
  table: Writer,
  community: OpenCommunity,
  changes: CommunityUpdate["community"],
  by: Actor,
): Promise<Community> {
  const altered = alteredBy<CommunityUpdate["community"]>(community, changes);
  if (!altered) return community;
  const { id, version, figures, figures_version, tiers, directory_key: previousKey } = community;
  const { slug = community.slug, owner_id = community.owner_id, status = community.status } = changes;
  const row = directoryRowOf({ community: { ...community, ...changes }, tiers, figures });
  const rowTime = table.runtime.now();
  const directory_key = rowKey(previousKey, id, rowTime);
  const now = timeOver(community, by.now);
  const hasNewOwner = owner_id !== community.owner_id;
  // Ends the lasting rights that the former owner has given.
  const ownership = (community.ownership ?? 0) + 1;
  const set = {
    ...changes,
    ...(hasNewOwner && { ownership }),
    directory_key,
    updated_at: now.toISOString(),
    version: version + 1,
  };
  await write(table, [
    { update: keys.community(id), set, when: { is: { version, directory_key: previousKey } } },
    ...moveRow(previousKey, row, rowTime),
    ...(row.is_listed && community.status !== "active" ? [statsAreStill(id, figures_version)] : []),
    ...(hasNewOwner ? ownerMoves(id, community.owner_id, owner_id) : []),
    ...(slug === community.slug ? [] : slugMoves(id, community.slug, slug)),
    ...(status === community.status ? [] : statusMoves(id, community.status, status)),
    ...(status === "archived" && community.status !== "archived" ? [expireSessions(id, by.now)] : []),
    appendCommunityEntry(
      table,
      id,
      { record: { type: "community", id }, action: actionOf(altered.after), ...altered },
      { ...by, now },
    ),
  ]);
  return shown({ ...community, ...set }, figures, { now: by.now, epoch: table.runtime.epoch });
}

/** Fields of a new community that the activity shows. */
const auditedFields = shownIn(communityFields, "activity");

const slugMoves = (community_id: number, from: string, to: string): Write[] => [
  { put: { ...keys.slug(to), community_id }, when: "absent", otherwise: slugTaken() },
  { delete: keys.slug(from) },
];

const statusMoves = (community_id: number, from: Community["status"], to: Community["status"]): Write[] => [
  { put: { ...keys.listedCommunity(to, community_id), community_id } },
  { delete: keys.listedCommunity(from, community_id) },
];

const ownerMoves = (community_id: number, from: number, to: number): Write[] => [
  notErased(to),
  isKnown(to),
  isNotBlocked(community_id, to),
  { put: { ...keys.ownedCommunity(to, community_id), community_id } },
  // An owner is not in the team.
  { delete: keys.teamMember(community_id, to) },
  { delete: keys.teamOf(to, community_id) },
  { delete: keys.ownedCommunity(from, community_id) },
];

const isKnown = (ownerId: number): Write => ({
  check: keys.user(ownerId),
  when: "exists",
  otherwise: invalidOwner("unknown_reference", "must be a known user"),
});

/**
 * Prevents a transfer to a blocked member. `block` checks the owner in the same way, so one of two concurrent requests
 * fails.
 */
const isNotBlocked = (communityId: number, ownerId: number): Write => ({
  check: keys.membership(ownerId, communityId),
  when: { unless: { is_blocked: true } },
  otherwise: invalidOwner("not_allowed", "must not be blocked in the community"),
});

const invalidOwner = (code: IssueCode, message: string) =>
  validationFailed([{ pointer: "/community/owner_id", code, message }]);

const slugTaken = () => new Problem("slug_taken");
