import { createProductAndPrices } from "#lib/billing/catalog.ts";
import { billing } from "#lib/billing/stripe.ts";
import type { TierFields } from "#lib/domain/tier.ts";
import type { Actor } from "#lib/store/activity.ts";
import * as users from "#lib/store/users.ts";
import type { Stack } from "../stack.ts";
import { addProfile } from "../users.ts";
import { addApiKeys } from "./api-keys.ts";
import { addBenefits } from "./benefits.ts";
import { addBrands } from "./brands.ts";
import { addCommunities } from "./communities.ts";
import { addDestinations } from "./destinations.ts";
import { addMembers } from "./members.ts";
import { people } from "./people.ts";
import { stripeIn } from "./stripe-client.ts";
import { addTeam } from "./team.ts";

/** Ids of the producers of the demo's brands. */
export const producers = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0002"] as const;

const hour = 3_600_000;
const day = 24 * hour;

/**
 * Fills an empty table with communities, tiers, benefits, brands and members of every kind. Does not change a table
 * with data.
 */
export async function seed(stack: Stack, now: Date): Promise<void> {
  const { table, stripe } = stack;
  if (await users.find(table, people.stranger.id)) return stack.listen();
  const by: Actor = { id: people.admin.id, requestId: "demo", now: new Date(now.getTime() - 400 * day) };
  stack.setClock(by.now);
  const pricesOf = (communityId: number, tier: TierFields) =>
    createProductAndPrices(
      billing(() => 30_000),
      communityId,
      tier,
    );
  await addCommunities(table, by, { pricesOf, isRepriced: stripe !== undefined });
  await addBenefits(table, { ...by, now: new Date(by.now.getTime() + hour) });
  await addDestinations(table, { ...by, now: new Date(by.now.getTime() + 2 * hour) });
  await addBrands(table, producers, by);
  if (stripe)
    await addMembers({ ...stack, stripe, billing: stripeIn(stripe.answer) }, people.member, people.owner, now);
  stack.listen();
  for (const person of Object.values(people)) await addProfile(table, person);
  await addTeam(table, now);
  await addApiKeys(table, now);
}
