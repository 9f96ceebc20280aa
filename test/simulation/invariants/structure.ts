import type { Item } from "#lib/store/expression.ts";
import { keys } from "#lib/store/keys.ts";
import { benefitsOf, brandsOf, communitiesOf, itemsOf, membersOf, ofKind, tiersOf } from "../world/records.ts";
import type { World } from "../world/world.ts";

const most = { tiers: 50, benefits: 200, brands: 1000 };

const repeated = <T>(all: readonly T[], of: (one: T) => string): string[] =>
  [...Map.groupBy(all, of)].filter(([, those]) => those.length > 1).map(([name]) => name);

/** Unique values are unique, limits hold, and all references are valid. */
export function assertStructure(world: World): void {
  const [members, tiers, benefits] = [membersOf(world), tiersOf(world), benefitsOf(world)];
  assertSlugs(world);
  for (const name of repeated(members, ({ user, community_id }) => `user ${user.id} in community ${community_id}`))
    world.violate("one membership", `${name} has several memberships`);
  assertMemberships(world);

  const of = (communityId: number) => (one: { readonly community_id: number }) => one.community_id === communityId;
  for (const { id, owner_id } of communitiesOf(world)) {
    if (members.some((one) => of(id)(one) && one.user.id === owner_id && one.is_blocked))
      world.violate("blocked owners", `the owner of community ${id} is blocked in it`);
    const [tierCount, benefitCount] = [tiers.filter(of(id)).length, benefits.filter(of(id)).length];
    if (tierCount > most.tiers) world.violate("limits", `community ${id} has ${tierCount} tiers`);
    if (benefitCount > most.benefits) world.violate("limits", `community ${id} has ${benefitCount} benefits`);
  }

  const known = new Set(tiers.map(({ community_id, id }) => `${community_id} ${id}`));
  for (const { id, community_id, tier_id } of members)
    if (!known.has(`${community_id} ${tier_id}`))
      world.violate("references", `member ${id} has tier ${tier_id}, which is not there`);
  for (const { id, community_id, tier_ids } of benefits)
    for (const tier of tier_ids)
      if (!known.has(`${community_id} ${tier}`))
        world.violate("references", `benefit ${id} has tier ${tier}, which is not there`);
  assertBrands(world);
}

function assertSlugs(world: World): void {
  const communities = communitiesOf(world);
  const slugs = itemsOf(world).filter(({ sk, pk }) => sk === "SLUG" && pk.startsWith("SLUG#"));
  for (const slug of repeated(communities, (one) => one.slug)) world.violate("slugs", `two communities are ${slug}`);
  for (const { id, slug } of communities)
    if (slugs.find(({ pk }) => pk === keys.slug(slug).pk)?.community_id !== id)
      world.violate("slugs", `the slug ${slug} does not lead to community ${id}`);
  if (slugs.length !== communities.length)
    world.violate("slugs", `${slugs.length} slugs are taken by ${communities.length} communities`);
}

/** Copies of a member's state that are stored with the person match the member's record. */
function assertMemberships(world: World): void {
  const names = ["status", "tier_id", "is_blocked", "cancel_at_period_end", "cancel_at", "current_period_end"] as const;
  const memberships = new Map(ofKind(world, "membership").map((one) => [`${one.pk} ${one.sk}`, one as Item]));
  const members = membersOf(world);
  for (const member of members) {
    const { pk, sk } = keys.membership(member.user.id, member.community_id);
    const membership = memberships.get(`${pk} ${sk}`);
    const differing = names.find((name) => membership?.[name] !== member[name]);
    if (membership?.member_id !== member.id || differing)
      world.violate("one membership", `the membership of member ${member.id} has another ${differing ?? "member"}`);
  }
  if (memberships.size !== members.length)
    world.violate("one membership", `there are ${memberships.size} memberships of ${members.length} members`);
}

/** A brand is stored identically under each of its producers, and under no other producer. */
function assertBrands(world: World): void {
  const copies = ofKind(world, "brandOfProducer");
  let expected = 0;
  for (const { id, producer_ids, version } of brandsOf(world)) {
    for (const producer of producer_ids) {
      expected++;
      const { pk, sk } = keys.brandOfProducer(producer, id);
      const copy = copies.find((one) => one.pk === pk && one.sk === sk);
      if (copy?.version !== version) world.violate("brands", `brand ${id} is another under producer ${producer}`);
    }
  }
  if (copies.length !== expected)
    world.violate("brands", `there are ${copies.length} links of brands, not ${expected}`);
  for (const [pk, those] of Map.groupBy(copies, (one) => one.pk))
    if (those.length > most.brands) world.violate("limits", `${pk} has ${those.length} brands`);
}
