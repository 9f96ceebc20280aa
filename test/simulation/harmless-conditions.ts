const found = "The item and the one that finds its community have the same id and the same condition.";
const kept = "No code deletes this item, and the same transaction or an earlier one has stored it.";
const copied = "The same transaction checks the version of the brand, which each change of its copies raises.";

/** Conditions without which nothing goes wrong, by the names of their mutants, with the reason. */
export const harmless: Readonly<Record<string, string>> = {
  "lib/projections/recount.ts: delete: keys.recount(communityId), without { is: { rebuild_id } }":
    "A rebuild whose changes are no longer collected notices it (`isStillNoted`), and begins again.",
  'lib/store/benefits.ts: put: { ...keyOf(benefit), ...benefit }, without "absent"': found,
  'lib/store/benefits.ts: put: { ...keys.benefitParent(id), community_id }, without "absent"': found,
  'lib/store/brands.ts: put: { ...keys.brand(added.id), ...attributesOf(added) }, without "absent"':
    "The id is a UUID.",
  'lib/store/brands.ts: update: keys.brandOfProducer(id, brand.id), set, without "exists"': copied,
  'lib/store/brands.ts: put: { ...keys.brandOfProducer(producerId, brand.id), ...attributesOf(brand) }, without "absent"':
    copied,
  "lib/store/communities.ts: update: keys.community(id), set, without version,":
    "Each update also replaces `directory_key`, which the same condition compares.",
  'lib/store/customers.ts: update: keys.customer(customer_id), set: { member_id }, without "exists"': kept,
  'lib/store/customers.ts: update: keys.customer(deletedCustomerId), set: { is_former: true }, without "exists" as const':
    kept,
  'lib/store/destinations.ts: put: { ...keyOf(destination), ...destination }, without "absent"': found,
  'lib/store/destinations.ts: put: { ...keys.destinationParent(input.id), community_id }, without "absent"': found,
  'lib/store/erasures.ts: update: keys.membership(member.user.id, community_id), set: ending.membership, without "exists"':
    kept,
  "lib/store/lease.ts: delete: key, without { is: { until } }": "No function runs for longer than its lease.",
  'lib/store/members/members.ts: update: keys.membership(member.user.id, member.community_id), set: { is_blocked: set.is_blocked }, without "exists"':
    kept,
  'lib/store/members/sync.ts: update: keys.membership(after.user.id, community_id), set, without "exists"': kept,
  'lib/store/members/term.ts: update: keys.membership(member.user.id, member.community_id), set: pick(after, ["status", "cancel_at_period_end", "cancel_at"]), without "exists"':
    kept,
  'lib/store/tiers.ts: put: { ...keys.tier(community_id, tier.id), ...stored }, without "absent"': found,
  'lib/store/tiers.ts: put: { ...keys.tierParent(tier.id), community_id }, without "absent"': found,
};
