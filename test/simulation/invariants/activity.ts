import { isDeepStrictEqual } from "node:util";
import * as brands from "#lib/store/brands.ts";
import type { Item } from "#lib/store/expression.ts";
import { communityOf, type Key, kindOf } from "#lib/store/keys.ts";
import { itemFromWire } from "../table/native.ts";
import type { StreamRecord } from "../table/stream.ts";
import { ofKind } from "../world/records.ts";
import type { World } from "../world/world.ts";
import { isOfMember } from "./audit.ts";

/** Audited fields of each kind of record. An audit entry contains those that a change alters. */
const fields = {
  community: ["name", "slug", "owner_id", "avatar_url", "status", "trending_pin"],
  tier: [
    "name",
    "badge",
    "position",
    "monthly_price_dollars",
    "yearly_price_dollars",
    "trial_days",
    "requires_shipping_address",
    "stripe_price_id",
    "yearly_stripe_price_id",
    "status",
  ],
  benefit: ["name", "description", "position", "tier_ids", "status"],
  brand: ["name", "producer_ids"],
} as const;
type Audited = keyof typeof fields;

type Entry = { readonly action: string; readonly before: Item | null; readonly after: Item | null };

/**
 * Every change of a community, tier, benefit or brand has exactly one audit entry with the altered fields. The entries
 * of a record have the order of its changes in the stream.
 */
export function assertActivity(world: World): void {
  const expected = new Map<string, Entry[]>();
  for (const { dynamodb } of world.storage.stream.records) {
    const kind = kindOf(native(dynamodb.Keys) as Key & Item);
    if (kind === undefined || !(kind in fields)) continue;
    const [was, is] = [recordOf(kind as Audited, dynamodb.OldImage), recordOf(kind as Audited, dynamodb.NewImage)];
    const entry = entryOf(fields[kind as Audited], was, is);
    const id = String((is ?? was)?.id);
    if (entry) append(expected, `${kind} ${id}`, entry);
  }

  const written = new Map<string, Entry[]>();
  for (const item of ofKind(world, "activity")) {
    if (isOfMember(item) || isImport(item)) continue;
    const { type, id } = (item.record ?? { type: "brand", id: item.pk.split("#")[1] }) as { type: string; id: unknown };
    // Entries of destinations also describe changes outside their fields. `destinations.ts` checks them, `teams.ts` those
    // of teams, and `api-keys.ts` those of keys.
    if (["event_destination", "team_member", "invitation", "api_key"].includes(type)) continue;
    const { action, before, after } = item as unknown as Entry;
    append(written, `${type} ${String(id)}`, { action, before, after });
  }

  for (const name of new Set([...expected.keys(), ...written.keys()])) {
    const [must, has] = [expected.get(name) ?? [], written.get(name) ?? []];
    if (!isDeepStrictEqual(has, must))
      world.violate("audit entries", `${name} has the entries ${JSON.stringify(has)}, not ${JSON.stringify(must)}`);
  }
}

function entryOf(names: readonly string[], was: Item | undefined, is: Item | undefined): Entry | undefined {
  const altered = names.filter((name) => !isDeepStrictEqual(was?.[name], is?.[name]));
  const of = (record: Item) => Object.fromEntries(altered.map((name) => [name, record[name]]));
  if (!was) return is && { action: "created", before: null, after: of(is) };
  if (!is) return { action: "deleted", before: of(was), after: null };
  if (altered.length === 0) return undefined;
  return { action: actionOf(was, is), before: of(was), after: of(is) };
}

function actionOf(was: Item, is: Item): string {
  if (was.owner_id !== is.owner_id) return "transferred";
  if (was.status !== is.status) return is.status === "archived" ? "archived" : "unarchived";
  return "edited";
}

/**
 * Every request that imported a member has exactly one audit entry, however often it was repeated, and the entry was
 * written by the time of the response.
 */
export function assertImportEntries(world: World): void {
  const requests = new Map<string, number>();
  for (const { request_id, pk, at } of ofKind(world, "activity").filter(isImport)) {
    const name = `${communityOf({ pk, sk: "" })} ${world.operationOf(String(request_id))} at ${String(at)}`;
    requests.set(name, (requests.get(name) ?? 0) + 1);
  }
  for (const [name, count] of requests)
    if (count > 1) world.violate("audit entries", `the import ${name} has ${count} entries`);

  const recorded = new Set([...requests.keys()].map((name) => name.split(" at ")[0]));
  const communities = new Map(ofKind(world, "member").map(({ id, community_id }) => [Number(id), community_id]));
  for (const { request_id, pk } of ofKind(world, "activity").filter(({ action }) => action === "imported")) {
    const community = communities.get(Number(pk.split("#")[1]));
    const name = `${String(community)} ${world.operationOf(String(request_id))}`;
    if (!recorded.has(name)) world.violate("audit entries", `the import ${name} has no entry`);
  }
}

const isImport = ({ action }: Item): boolean => action === "members_imported";

const append = (lists: Map<string, Entry[]>, name: string, entry: Entry): void =>
  void lists.set(name, [...(lists.get(name) ?? []), entry]);

type Image = StreamRecord["dynamodb"]["NewImage"];

const native = (image: NonNullable<Image>): Item => itemFromWire(image, (list) => list);

function recordOf(kind: Audited, image: Image): Item | undefined {
  const item = image && native(image);
  return item && kind === "brand" ? brands.fromItem(item) : item;
}
