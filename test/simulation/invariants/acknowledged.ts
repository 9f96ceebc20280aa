import { benefitsOf, brandsOf, communitiesOf, membersOf, tiersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

type Record = Readonly<{ [field: string]: unknown }>;

/** Sets that are shown as lists. */
const unordered: readonly string[] = ["tier_ids", "producer_ids"];

const comparable = (field: string, value: unknown): unknown =>
  unordered.includes(field) && Array.isArray(value) ? value.toSorted() : value;

/** Every write that was acknowledged is there, unless a later one is. */
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
    const value = field === "exists" ? record !== undefined : comparable(field, record?.[field]);
    if ((!record && field !== "exists") || acknowledged.mayBe({ kind, id, field }, value)) continue;
    const written = acknowledged.show({ kind, id, field });
    world.violate("acknowledged writes", `${kind} ${id} has ${field} ${JSON.stringify(value)}; written was ${written}`);
  }
}
