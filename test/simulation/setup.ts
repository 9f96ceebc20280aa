import * as v from "valibot";
import { TierFields } from "#lib/domain/tier.ts";
import { open } from "#lib/store/communities.ts";
import * as operations from "#lib/store/operations.ts";
import * as tiers from "#lib/store/tiers.ts";
import * as users from "#lib/store/users.ts";
import { handler as createCommunity } from "../../functions/communities/create.ts";
import { handler as createTier } from "../../functions/tiers/create.ts";
import { subOf } from "../../tools/local/users.ts";
import { ownersOfDestinations } from "./actors/destinations.ts";
import { enroll, members } from "./actors/members.ts";
import { ownersOfMembers } from "./actors/owners-members.ts";
import { admin, Scene } from "./actors/scene.ts";
import { people } from "./world/people.ts";
import { communitiesOf, tiersOf } from "./world/records.ts";
import type { World } from "./world/world.ts";

/**
 * Creates the state in which every history begins: two communities with tiers, in most cases a destination, and some
 * members.
 */
export async function setUp(world: World): Promise<void> {
  for (const id of [1, 2, ...world.people]) {
    const person = { sub: subOf(id), username: `user${id}`, email: `user${id}@example.com`, first_name: "Ana" };
    const user = users.newUser({ ...person, last_name: `Name ${id % 3}` }, world.now, () => world.chance.next());
    await users.add(world.table, { ...user, id }, { ownsEmail: true });
    const account = world.userPool.signUp({ email: person.email, given_name: person.first_name }, person.sub);
    if (account) Object.assign(account, { email_verified: true, status: "CONFIRMED" });
  }
  for (const owner_id of [3, 4]) {
    const scene = new Scene(world, `setup-${owner_id}`);
    const community = { name: `Community ${owner_id}`, owner_id };
    const { body } = await scene.send(createCommunity, { as: admin, body: { community } });
    for (const dollars of [9, 25]) {
      const yearly_price_dollars = dollars === 25 ? 200 : null;
      const tier = { name: `Tier of ${dollars}`, monthly_price_dollars: dollars, yearly_price_dollars };
      await scene.send(createTier, { as: admin, params: { community_id: Number(body.id) }, body: { tier } });
    }
  }
  if (world.chance.is(0.1)) await crowd(world);
  if (world.chance.is(0.1)) await begin(world);
  if (world.chance.is(0.6)) await ownersOfDestinations.acts.create?.[1](new Scene(world, "setup-destination"));
  for (let n = 0; n < 3; n++) await members.acts.join?.[1](new Scene(world, `setup-join-${n}`));
  for (let n = 0; n < 3; n++) await ownersOfMembers.acts.change?.[1](new Scene(world, `setup-change-${n}`));
  for (const id of world.people.slice(people.length)) await enroll(new Scene(world, `setup-enroll-${id}`), id);
}

/** Creates a community with almost the maximum number of tiers. */
async function crowd(world: World): Promise<void> {
  const [community] = communitiesOf(world);
  const [tier] = tiersOf(world);
  if (!community || !tier) return;
  const own = v.parse(TierFields, tier);
  const by = { id: admin.id, requestId: "setup", now: world.now };
  for (let n = 0; n < 45; n++) {
    const created_at = new Date(world.timeline.now + n).toISOString();
    const another = { ...own, id: 5_000_000 + n, name: `Crowd ${n}`, stripe_price_id: null, created_at };
    await tiers.add(world.table, await open(world.table, community.id), another, by);
  }
}

/** Creates operations that can never complete, because their customers are unknown. */
async function begin(world: World): Promise<void> {
  const created_at = new Date(world.timeline.now).toISOString();
  const none = { actor_id: null, request_id: null, fingerprint: null };
  for (let n = 0; n < 110; n++)
    await operations.begin(world.table, {
      ...none,
      id: `stuck-${n}`,
      community_id: 1,
      member_id: 1,
      customer_id: "cus_gone",
      intent: { kind: "uncancel", subscription_id: `sub_gone_${n}` },
      state: "open",
      created_at,
    });
}
