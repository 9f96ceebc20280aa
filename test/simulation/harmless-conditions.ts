const found = "The item that finds its community has the same id and the same condition.";
const kept = "No code deletes this item, and the same transaction or an earlier one has stored it.";
const copied = "The same transaction checks the version of the brand, which each change of its copies raises.";
const ofProfile =
  "Whoever deletes this item also changes `updated_at` of the profile, which the same transaction compares.";
const unexpired = "Only an operation that is done or refused expires, and none that has expired is read.";

/** Conditions without which nothing goes wrong, by the names of their mutants, with the reason. */
export const harmless: Readonly<Record<string, string>> = {
  "lib/projections/recount.ts: delete: keys.recount(communityId), without { is: { rebuild_id } }":
    "A rebuild whose changes are no longer collected notices it (`isStillNoted`), and begins again.",
  'lib/store/benefits.ts: put: { ...keyOf(benefit), ...benefit }, without "absent"': found,
  'lib/store/brands.ts: put: { ...keys.brand(added.id), ...attributesOf(added) }, without "absent"':
    "The id is a UUID.",
  'lib/store/brands.ts: update: keys.brandOfProducer(id, brand.id), set, without "exists"': copied,
  'lib/store/brands.ts: put: { ...keys.brandOfProducer(producerId, brand.id), ...attributesOf(brand) }, without "absent"':
    copied,
  'lib/store/catalog-version.ts: update: keys.community(communityId), set: {}, add: catalogChange, without "exists"':
    kept,
  "lib/store/communities.ts: update: keys.community(id), set, without version,":
    "Each update also replaces `directory_key`, which the same condition compares.",
  'lib/store/customers.ts: update: keys.customer(customer_id), set: { member_id }, without "exists"': kept,
  'lib/store/customers.ts: update: keys.customer(deletedCustomerId), set: { is_former: true }, without "exists" as const':
    kept,
  'lib/store/destinations.ts: put: { ...keyOf(destination), ...destination }, without "absent"': found,
  'lib/store/erasures.ts: put: { ...keys.erasure(user.id), ...erasure }, without "absent"':
    "The same transaction changes personal attributes of the profile, which `write` refuses if the profile is erased.",
  'lib/store/erasures.ts: update: key, set: { erased_at }, without "exists"': ofProfile,
  'lib/store/erasures.ts: put: { ...key, user_id, erased_at }, without "absent"':
    "The first sign-in to the account also takes over the profile, and changes its `updated_at`, which the same transaction compares.",
  "lib/store/erasures.ts: delete: keys.email(user.email), without { is: { user_id: user.id } }": ofProfile,
  'lib/store/erasures.ts: update: keys.subject(sub), set: { expires_at }, without "exists"':
    "Only a takeover deletes this item, and an erased profile is not taken over.",
  'lib/store/erasures.ts: update: keys.membership(member.user.id, community_id), set: ending.membership, without "exists"':
    kept,
  'lib/store/invitations.ts: put: { ...keys.invitation(community_id, id), ...invitation }, without "absent"': found,
  "lib/store/lease.ts: delete: key, without { is: { until } }": "No function runs for longer than its lease.",
  'lib/store/members/confirmation.ts: update: keys.membership(user.id, community_id), set: { confirmed_version: undefined }, without "exists"':
    kept,
  'lib/store/members/import-decision.ts: update: keys.membership(member.user.id, member.community_id), set: withoutKey(membershipOf(member)), without "exists"':
    kept,
  'lib/store/members/members.ts: update: keys.membership(member.user.id, member.community_id), set: { is_blocked: set.is_blocked }, without "exists"':
    kept,
  'lib/store/members/restored-items.ts: update: keyOfItem(membership), set: withoutKey(membership), without "exists"':
    kept,
  'lib/store/members/term.ts: update: keys.membership(member.user.id, member.community_id), set: pick(after, termNames), without "exists"':
    kept,
  'lib/store/operations.ts: update: keys.operation(member_id, id), set: { dropped_prices }, without "exists"':
    unexpired,
  "lib/store/sign-in.ts: delete: keys.subject(owner.sub), without { is: { user_id: owner.id } }":
    "The same transaction compares `sub` of the profile, to which this item leads as long as it is the same.",
  "lib/store/sign-in.ts: update: keys.user(owner.id), set: { ...changesOf(owner, person), email: person.email, sub: person.sub, updated_at: timeOver(owner, now).toISOString(), }, without sub: owner.sub,":
    "Each change of `sub` also changes `updated_at`, which the same condition compares.",
  "lib/store/sign-in.ts: delete: keys.email(before), without { is: { user_id: id } }": ofProfile,
  'lib/store/tiers.ts: put: { ...keys.tier(community_id, tier.id), ...stored }, without "absent"': found,
};
