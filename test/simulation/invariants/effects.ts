import { benefitsOf, brandsOf, communitiesOf, itemsOf, tiersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

/** Requests with the same idempotency key have one effect. Records are named after the act that created them. */
export function assertEffects(world: World): void {
  const all = {
    benefit: benefitsOf(world),
    brand: brandsOf(world),
    tier: tiersOf(world),
    community: communitiesOf(world),
  };
  for (const [kind, records] of Object.entries(all))
    for (const [name, those] of Map.groupBy(records as readonly { readonly name: string }[], (one) => one.name)) {
      const isAllowed = world.mayRepeat.has(name.split(" ")[1] ?? "");
      if (those.length > 1 && !isAllowed && / s\d+$/.test(name))
        world.violate("one effect", `there are ${those.length} ${kind} records of ${name}`);
    }
}

/** No unfinished operation is left. */
export function assertNothingLeft(world: World): void {
  for (const name of world.failedRecords.stored.keys()) world.violate("leftovers", `${name} is still set aside`);
  const now = world.timeline.now;
  const hidden = itemsOf(world).some(({ sk }) => sk.includes("#stuck-")) ? ", hidden by those that never end" : "";
  for (const { pk, sk, leased_until } of itemsOf(world)) {
    // The operations that the setup creates can never complete.
    if (pk.startsWith("STRIPE#sub_gone")) continue;
    if (pk === "OPERATIONS" && !sk.includes("#stuck-"))
      world.violate("leftovers", `the operation ${sk} is not finished${hidden}`);
    if (sk === "LOCK") world.violate("leftovers", `${pk} is locked`);
    if (typeof leased_until === "number" && leased_until > now) world.violate("leftovers", `${pk} is leased`);
  }
}
