import type { Item } from "#lib/store/expression.ts";
import { type Key, kindOf } from "#lib/store/keys.ts";
import { itemFromWire } from "../table/native.ts";
import { benefitsOf, brandsOf, communitiesOf, membersOf, tiersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

type Record = Readonly<{ [field: string]: unknown }>;

/** Every acknowledged write is stored, unless a later write replaced it. */
export function assertAcknowledged(world: World): void {
  const { acknowledged } = world;
  const records: { readonly [kind: string]: readonly object[] } = {
    member: membersOf(world).map(({ custom, ...member }) => ({
      ...member,
      ...Object.fromEntries(Object.entries(custom).map(([key, value]) => [`metadata.${key}`, value])),
    })),
    benefit: benefitsOf(world),
    tier: tiersOf(world),
    community: communitiesOf(world),
    brand: brandsOf(world),
  };
  for (const { kind, id, field } of acknowledged.fields()) {
    const record = records[kind]?.find((one) => (one as Record).id === id) as Record | undefined;
    const value = field === "exists" ? record !== undefined : record?.[field];
    if (record?.erased_at !== undefined && isErasable(field)) continue;
    if ((!record && field !== "exists") || acknowledged.mayBe({ kind, id, field }, value)) continue;
    const written = acknowledged.show({ kind, id, field });
    world.violate("acknowledged writes", `${kind} ${id} has ${field} ${JSON.stringify(value)}; written was ${written}`);
  }
}

/** Fields that an erasure clears. `assertErased` checks them. */
const isErasable = (field: string): boolean =>
  field === "notes" || field === "shipping_address" || field.startsWith("metadata.");

const watched = ["shipping_address", "notes", "is_blocked"] as const;

/** No acknowledged write is undone, not even temporarily. */
export function assertNeverUndone(world: World): void {
  const { acknowledged } = world;
  for (const { at, record } of world.changes) {
    const { OldImage, NewImage } = record.dynamodb;
    if (!OldImage || !NewImage || kindOf(native(record.dynamodb.Keys) as Key) !== "member") continue;
    const changed = watched.filter((name) => JSON.stringify(OldImage[name]) !== JSON.stringify(NewImage[name]));
    if (changed.length === 0) continue;
    const after = native(NewImage);
    for (const field of changed) {
      if (after.erased_at !== undefined && isErasable(field)) continue;
      const of = { kind: "member", id: Number(after.id), field };
      if (acknowledged.mayBe(of, after[field], at)) continue;
      const written = acknowledged.show(of);
      world.violate(
        "acknowledged writes",
        `${field} of member ${of.id} became ${JSON.stringify(after[field])} again; written was ${written}`,
      );
    }
  }
}

const native = (image: Parameters<typeof itemFromWire>[0]): Item => itemFromWire(image, (list) => list);
