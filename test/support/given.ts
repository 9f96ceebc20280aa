import { randomUUID } from "node:crypto";
import { newApiKey } from "#lib/auth/api-key.ts";
import { sealingWith } from "#lib/delivery/sealing.ts";
import { newSecret, storedSecret } from "#lib/delivery/secret.ts";
import type { Community } from "#lib/domain/community.ts";
import type { TierFields } from "#lib/domain/tier.ts";
import { communityFields } from "#lib/fields/community.ts";
import { valuesBefore } from "#lib/fields/field.ts";
import { memberFields } from "#lib/fields/member.ts";
import { tierFields } from "#lib/fields/tier.ts";
import { newId, timeOf } from "#lib/ids.ts";
import type { UserActor } from "#lib/store/activity.ts";
import { decideAgain } from "#lib/store/again.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as communities from "#lib/store/communities.ts";
import * as destinations from "#lib/store/destinations.ts";
import * as invitations from "#lib/store/invitations.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import type { Writer } from "#lib/store/table.ts";
import * as team from "#lib/store/team.ts";
import { findPlace, type StoredTeamMember } from "#lib/store/team-places.ts";
import * as tiers from "#lib/store/tiers.ts";
import type { ShippingAddress } from "#lib/values/address.ts";
import type { TeamRole } from "#lib/values/team-role.ts";
import { addProfile } from "../../tools/local/users.ts";

const at = "2026-01-01T00:00:00.000Z";

/** The actor of the test data. */
export const givenBy = (now = new Date()): UserActor => ({ id: 1, requestId: "given", now });

const drawn = new Set<number>();

/** An id that is unique in this file, because generated ids of the same millisecond may collide. */
function freshId(): number {
  const id = newId(new Date(), Math.random);
  if (drawn.has(id)) return freshId();
  drawn.add(id);
  return id;
}

export type GivenCommunity = {
  readonly id: number;
  readonly owner: { readonly id: number };
  readonly tier: TierFields;
};

/** A community with a new owner and one tier. */
export async function aCommunity(
  table: Writer,
  { tier: tierOver, ...over }: Partial<Community & { owner_id: number }> & { tier?: Partial<TierFields> } = {},
): Promise<GivenCommunity> {
  const id = over.id ?? freshId();
  const uuid = randomUUID();
  const owner_id = over.owner_id ?? freshId();
  const {
    trending: _,
    member_count: __,
    ...stored
  } = {
    ...valuesBefore(communityFields),
    id,
    uuid,
    name: "Mezcal Circle",
    slug: `c-${uuid}`,
    owner_id,
    avatar_url: null,
    status: "active" as const,
    trending: false,
    trending_pin: null,
    member_count: 0,
    created_at: at,
    updated_at: at,
    ...over,
  };
  await addProfile(table, { id: owner_id, username: `user${owner_id}`, first_name: "Olga", last_name: "Owner" });
  await communities.add(table, stored, givenBy());
  return { id, owner: { id: owner_id }, tier: await aTier(table, id, tierOver) };
}

export async function aTier(table: Writer, communityId: number, over: Partial<TierFields> = {}): Promise<TierFields> {
  const id = freshId();
  const created_at = timeOf(id).toISOString();
  const tier: TierFields = {
    ...valuesBefore(tierFields),
    id,
    name: "Barrel Owner",
    badge: null,
    position: 1,
    monthly_price_dollars: 25,
    trial_days: 0,
    requires_shipping_address: false,
    stripe_price_id: null,
    status: "active",
    created_at,
    updated_at: created_at,
    ...over,
  };
  await tiers.add(table, await communities.open(table, communityId), tier, givenBy());
  return tier;
}

/** A benefit. Default: without tiers. */
export async function aBenefit(
  table: Writer,
  { id }: { readonly id: number },
  over: Partial<Pick<benefits.StoredBenefit, "name" | "description" | "position" | "tier_ids">> = {},
): Promise<benefits.StoredBenefit> {
  const given = { name: "Tasting notes", description: "", position: 1, tier_ids: [], ...over };
  return benefits.add(table, await benefits.open(table, id), given, givenBy());
}

/** An event destination with an unknown secret. */
export async function aDestination(
  table: Writer,
  community: { readonly id: number },
  { url = "https://receiver.example/", sealing = sealingWith("nobody decrypts it") } = {},
): Promise<destinations.StoredDestination> {
  const id = destinations.newDestinationId(table, new Date());
  const secret = storedSecret(newSecret(table.runtime), id, sealing);
  const given = { id, url, events: ["*"], description: "", ...secret };
  const parent = await communities.open(table, community.id);
  return destinations.add(table, parent, await destinations.listOf(table, community.id), given, givenBy());
}

/** The verified email address of a person in the test data. */
export const addressOf = ({ id }: { readonly id: number }): string => `user${id}@example.com`;

type InvitationOver = { email?: string; role?: TeamRole; now?: Date };
type PlaceOver = { role?: TeamRole; user?: { readonly id: number }; now?: Date };

/** An invitation to the team of a community. */
export async function anInvitation(
  table: Writer,
  { id }: { readonly id: number },
  { email = addressOf({ id: freshId() }), role = "support", now = new Date() }: InvitationOver = {},
): Promise<invitations.StoredInvitation> {
  const community = await communities.open(table, id);
  const stored = await invitations.listOf(table, community.id);
  // Generated ids of the same millisecond may collide.
  return decideAgain(table, () => invitations.add(table, community, stored, { email, role }, givenBy(now)));
}

/** A person with a profile in the team of a community. */
export async function aTeamMember(
  table: Writer,
  { id }: { readonly id: number },
  { role = "support", user = { id: freshId() }, now = new Date() }: PlaceOver = {},
): Promise<StoredTeamMember> {
  await addProfile(table, { id: user.id, username: `user${user.id}`, first_name: "Lea", last_name: "Team" });
  const invitation = await anInvitation(table, { id }, { email: addressOf(user), role, now });
  const community = await communities.open(table, id);
  const [people, earlier] = await Promise.all([team.listOf(table, community), findPlace(table, id, user.id)]);
  // Entries of the activity with the same time may get the same id.
  const by = { ...givenBy(new Date(now.getTime() + 1)), id: user.id };
  return team.join(table, { community, invitation, team: people, earlier }, by);
}

/** An API key of a community, with its text. */
export async function anApiKey(
  table: Writer,
  { id }: { readonly id: number },
  { role = "viewer", now = new Date() }: { role?: TeamRole; now?: Date } = {},
): Promise<apiKeys.StoredApiKey & { readonly key: string }> {
  const community = await communities.open(table, id);
  const keyId = freshId();
  const { key, ...stored } = newApiKey(keyId, table.runtime);
  const input = { name: "Warehouse", role, id: keyId, ...stored };
  const valid = await apiKeys.listOf(table, community);
  return { ...(await decideAgain(table, () => apiKeys.add(table, community, valid, input, givenBy(now)))), key };
}

/** A shipping address that Stripe accepts. */
export const anAddress = (over: Partial<ShippingAddress> = {}): ShippingAddress => ({
  name: "Ana",
  line1: "Calle 1",
  line2: "",
  city: "Oaxaca",
  state: "",
  postal_code: "68000",
  country: "MX",
  phone: "",
  ...over,
});

type MemberOver = Omit<Partial<StoredMember>, "user"> & { user?: Partial<StoredMember["user"]> };

/** A member. Default: with an active subscription. */
export function memberOf(community: GivenCommunity, { user, ...over }: MemberOver = {}): StoredMember {
  const id = freshId();
  return {
    id,
    community_id: community.id,
    tier_id: community.tier.id,
    status: "active",
    current_period_start: "2026-11-01T00:00:00.000Z",
    current_period_end: "2026-12-01T00:00:00.000Z",
    cancel_at_period_end: false,
    cancel_at: null,
    trial_start: null,
    trial_end: null,
    canceled_at: null,
    ended_at: null,
    ...valuesBefore(memberFields),
    is_blocked: false,
    blocked_at: null,
    blocked_by: null,
    block_reason: null,
    total_refunded_cents: 0,
    lifetime_spend_cents: 7_500,
    refunds: [],
    recorded_since: at,
    stripe_customer_id: null,
    stripe_subscription_id: null,
    first_granted_at: null,
    sync_version: 0,
    version: 1,
    created_at: at,
    updated_at: at,
    ...over,
    user: {
      id: freshId(),
      username: `user${id}`,
      email: `user${id}@example.com`,
      first_name: "Ana",
      last_name: "Peña",
      ...user,
    },
  };
}

export async function aMember(table: Writer, community: GivenCommunity, over: MemberOver = {}): Promise<StoredMember> {
  const member = memberOf(community, over);
  await members.add(table, member);
  return member;
}
