import type { Community } from "#lib/domain/community.ts";
import { fromItem as apiKeyFrom } from "#lib/store/api-keys.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as brands from "#lib/store/brands.ts";
import * as destinations from "#lib/store/destinations.ts";
import type { Item } from "#lib/store/expression.ts";
import { fromItem as invitationFrom } from "#lib/store/invitations.ts";
import { type Key, type Kind, kindOf } from "#lib/store/keys.ts";
import { fromItem, type StoredMember } from "#lib/store/members/item.ts";
import { fromItem as placeFrom } from "#lib/store/team-places.ts";
import type { StoredTier } from "#lib/store/tiers.ts";
import { itemFromWire } from "../table/native.ts";
import type { World } from "./world.ts";

type Record = Key & Item;
type Seen = { readonly kind: Kind | undefined; readonly record: Record };

/** Caches converted items. Items are never mutated, so the cache stays valid. */
const seen = new WeakMap<object, Seen>();

function see(item: Parameters<typeof itemFromWire>[0]): Seen {
  const known = seen.get(item);
  if (known) return known;
  const record = itemFromWire(item, (list) => list) as Record;
  const made = { kind: kindOf(record), record };
  seen.set(item, made);
  return made;
}

/** All stored items, read directly from the table. Must not be mutated. */
export const itemsOf = (world: World): Record[] =>
  Array.from(world.storage.storage.items(), (item) => see(item).record);

/** The items of a kind, ordered by key. */
export function ofKind(world: World, kind: Kind): Record[] {
  const found: Record[] = [];
  for (const item of world.storage.storage.items()) {
    const one = see(item);
    if (one.kind === kind) found.push(one.record);
  }
  return found.toSorted((a, b) => (a.pk + a.sk < b.pk + b.sk ? -1 : 1));
}

export type ShownCommunity = Community & { readonly owner_id: number; readonly directory_key?: string };
export const communitiesOf = (world: World) =>
  // A member's parent item has the same sort key.
  ofKind(world, "community").filter(({ pk }) => pk.startsWith("COMMUNITY#")) as unknown as ShownCommunity[];
export const tiersOf = (world: World) => ofKind(world, "tier") as unknown as StoredTier[];
export const benefitsOf = (world: World) => ofKind(world, "benefit").map(benefits.fromItem);
export const brandsOf = (world: World) => ofKind(world, "brand").map(brands.fromItem);
export const destinationsOf = (world: World) => ofKind(world, "destination").map(destinations.fromItem);
export const membersOf = (world: World): StoredMember[] => ofKind(world, "member").map(fromItem);
export const placesOf = (world: World) => ofKind(world, "teamMember").map(placeFrom);
export const apiKeysOf = (world: World) => ofKind(world, "apiKey").map(apiKeyFrom);
export const invitationsOf = (world: World) => ofKind(world, "invitation").map(invitationFrom);
