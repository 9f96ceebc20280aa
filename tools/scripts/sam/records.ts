import type { GenericSchema, InferOutput } from "valibot";
import * as v from "valibot";
import { ApiKeyPage } from "#lib/domain/api-key.ts";
import { BenefitPage } from "#lib/domain/benefit.ts";
import { BrandPage } from "#lib/domain/brand.ts";
import { DestinationPage } from "#lib/domain/destination.ts";
import { MemberPage } from "#lib/domain/member-list.ts";
import { PaymentHistoryPage } from "#lib/domain/payment.ts";
import { InvitationPage, TeamPage } from "#lib/domain/team.ts";
import { TierPage } from "#lib/domain/tier.ts";

/** The parts of `.odis/local.json` that the events need. */
export const Local = v.object({
  api_url: v.string(),
  tokens: v.object({
    admin: v.string(),
    editor: v.string(),
    owner: v.string(),
    member: v.string(),
    stranger: v.string(),
  }),
  users: v.object({ owner: v.number(), member: v.number() }),
  producers: v.tupleWithRest([v.string()], v.string()),
  environment: v.record(v.string(), v.string()),
});
export type Local = v.InferOutput<typeof Local>;

export type Records = Awaited<ReturnType<typeof findRecords>>;

const community = 1;

/** Finds records of the demo's first community and first producer through the API. */
export async function findRecords({ api_url, tokens, users, producers: [producer] }: Local) {
  const get = async <S extends GenericSchema>(path: string, schema: S): Promise<InferOutput<S>> => {
    const response = await fetch(`${api_url}/odis/v1${path}`, { headers: { authorization: `Bearer ${tokens.owner}` } });
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return v.parse(schema, await response.json());
  };
  const { data: members } = await get(`/communities/${community}/members?per=100`, MemberPage);
  const { data: tiers } = await get(`/communities/${community}/tiers`, TierPage);
  const { data: benefits } = await get(`/communities/${community}/benefits?status=all`, BenefitPage);
  const { data: destinations } = await get(`/communities/${community}/event_destinations`, DestinationPage);
  const { data: team } = await get(`/communities/${community}/team`, TeamPage);
  const { data: invitations } = await get(`/communities/${community}/invitations`, InvitationPage);
  const { data: apiKeys } = await get(`/communities/${community}/api_keys`, ApiKeyPage);
  const { data: brands } = await get(`/producers/${producer}/brands`, BrandPage);

  const member = needed(members.find(({ user }) => user.id === users.member));
  const paying = members.filter(
    ({ id, status, is_blocked, cancel_at_period_end, scheduled_change }) =>
      id !== member.id && status === "active" && !is_blocked && !cancel_at_period_end && !scheduled_change,
  );
  const { data: invoices } = await get(
    `/communities/${community}/members/${member.id}/payment_history`,
    PaymentHistoryPage,
  );
  const [benefit, otherBenefit] = benefits.filter(({ status }) => status === "active");
  return {
    community,
    producer,
    /** The member whose token is printed. They have paid for a long time. */
    member: member.id,
    charge: needed(invoices.flatMap(({ charges }) => charges).find(({ status }) => status === "succeeded")).id,
    paying: needed(paying[0]).id,
    alsoPaying: needed(paying[1]).id,
    changing: needed(members.find(({ scheduled_change }) => scheduled_change !== null)).id,
    blocked: needed(members.find(({ is_blocked }) => is_blocked)).id,
    canceling: needed(members.find(({ cancel_at_period_end, status }) => cancel_at_period_end && status === "active"))
      .id,
    tier: needed(tiers[0]).id,
    otherTier: needed(tiers[1]).id,
    unusedTier: needed(tiers.at(-1)).id,
    benefit: needed(benefit).id,
    otherBenefit: needed(otherBenefit).id,
    archivedBenefit: needed(benefits.find(({ status }) => status === "archived")).id,
    destination: needed(destinations[0]).id,
    otherDestination: needed(destinations[1]).id,
    teamMember: needed(team[0]).user.id,
    otherTeamMember: needed(team[1]).user.id,
    /** Of the user whose token is `stranger`. */
    invitation: needed(invitations.find(({ email }) => email === "stranger@example.com")).id,
    otherInvitation: needed(invitations.find(({ email }) => email !== "stranger@example.com")).id,
    apiKey: needed(apiKeys[0]).id,
    otherApiKey: needed(apiKeys[1]).id,
    brand: needed(brands[0]).id,
    otherBrand: needed(brands.at(-1)).id,
  };
}

function needed<T>(found: T | undefined): T {
  if (found === undefined) throw new Error("The demo data is used up. Start over with: npm start -- --fresh");
  return found;
}
