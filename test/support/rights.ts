import type { PlacedRoute } from "#lib/contract/index.ts";
import type { Writer } from "#lib/store/table.ts";
import type { TeamRole } from "#lib/values/team-role.ts";
import { type As, apiRoutes } from "./api.ts";
import { aBenefit, aCommunity, aDestination, aMember, anApiKey, anInvitation, aTeamMember } from "./given.ts";

export const people = [
  "anonymous",
  "stranger",
  "member",
  "other_owner",
  "viewer",
  "support",
  "manager",
  "owner",
  "editor",
  "admin",
] as const;
export type Who = (typeof people)[number];

/** API keys of the community, by their role. */
export const apiKeys = ["viewer_key", "support_key", "manager_key"] as const;
export type KeyWho = (typeof apiKeys)[number];

const signedIn = people.slice(1);
const managing = ["owner", "admin"] as const;
const manager = [...managing, "manager"] as const;
const support = [...manager, "support"] as const;
const viewer = [...support, "viewer"] as const;

/**
 * Who may call a route for the records of the community, by the tables of `docs/api.md`, section 2. Written by hand: nothing
 * here is read from the code.
 */
export const mayCall: Readonly<Record<string, readonly Who[]>> = {
  SystemHealth: people,
  WebhooksStripe: people,
  DiscoveryExplore: people,
  CommunitiesList: people,
  CommunitiesShow: people,
  TiersList: people,
  TiersShow: people,

  BrandsList: signedIn,
  BrandsShow: signedIn,
  MembershipShow: signedIn,
  MembershipPaymentHistory: signedIn,
  MembershipCancelSubscription: signedIn,
  MembershipUncancelSubscription: signedIn,
  SubscriptionsChangeOwn: signedIn,
  SubscriptionsDropOwnScheduledChange: signedIn,
  CheckoutCreateSession: signedIn,
  CheckoutCreatePortalSession: signedIn,
  MeShow: signedIn,
  MeData: signedIn,
  MeErase: signedIn,

  BrandsCreate: ["editor", "admin"],
  BrandsUpdate: ["editor", "admin"],
  BrandsRemove: ["editor", "admin"],
  BrandsActivity: ["editor", "admin"],
  CommunitiesCreate: ["admin"],
  UsersList: ["admin"],
  UsersData: ["admin"],
  UsersErase: ["admin"],

  CommunitiesStats: viewer,
  CommunitiesSeries: viewer,
  BenefitsList: viewer,
  BenefitsShow: viewer,

  MembersList: support,
  MembersShow: support,
  MembersActivity: support,
  MembersPaymentHistory: support,
  MembersSubscriptionDetails: support,
  CommunitiesActivity: support,
  CommunitiesEvents: support,
  CommunitiesTransactions: support,
  CommunitiesMovements: support,
  MembersUpdate: support,
  MembersBlock: support,
  MembersUnblock: support,
  MembersCancelSubscription: support,
  MembersUncancelSubscription: support,

  "MembersList as CSV": manager,
  "CommunitiesTransactions as CSV": manager,
  "CommunitiesMovements as CSV": manager,
  "CommunitiesActivity as CSV": manager,
  DestinationsDeliveries: manager,
  MembersIssueRefund: manager,
  MembersRefundCharge: manager,
  SubscriptionsChange: manager,
  SubscriptionsDropScheduledChange: manager,
  TiersCreate: manager,
  TiersUpdate: manager,
  TiersRemove: manager,
  BenefitsCreate: manager,
  BenefitsUpdate: manager,
  BenefitsRemove: manager,
  BenefitsArchive: manager,
  BenefitsActivate: manager,
  BenefitsAssignToTiers: manager,
  CommunitiesUpdate: manager,
  MembersImportBatch: manager,

  DestinationsList: managing,
  DestinationsCreate: managing,
  DestinationsShow: managing,
  DestinationsUpdate: managing,
  DestinationsRemove: managing,
  DestinationsRotateSecret: managing,
  DestinationsPing: managing,
  DestinationsResend: managing,
  DestinationsResendMany: managing,
  TeamList: managing,
  TeamUpdate: managing,
  TeamRemove: managing,
  TeamListInvitations: managing,
  TeamInvite: managing,
  TeamRemoveInvitation: managing,
  KeysList: managing,
  KeysCreate: managing,
  KeysRemove: managing,
  // Only the invited person, who is none of these.
  TeamAccept: [],
};

/** Routes of records that do not exist for anybody else. */
const hidden = ["TeamRemoveInvitation", "TeamAccept", "KeysRemove"];
/** Changes of the caller's own membership, which only a member has. */
const ofMembership = [
  "MembershipCancelSubscription",
  "MembershipUncancelSubscription",
  "SubscriptionsChangeOwn",
  "SubscriptionsDropOwnScheduledChange",
];
/** The member of the tests has no scheduled change. */
const missing = ["SubscriptionsDropOwnScheduledChange"];

/** Whose record the request is about: the community's, another community's, or none that exists. */
const places = ["own", "other", "none"] as const;
export type Place = (typeof places)[number];

/** The places of a route. A route without a community has one, and a producer is never missing. */
export function placesOf({ path, area }: PlacedRoute): readonly Place[] {
  if (!path.includes("{")) return ["own"];
  if (area === "brands") return path.includes("{id}") ? ["own", "none"] : ["own"];
  return area === "users" ? ["own", "none"] : places;
}

/** What somebody is in the other community. */
const inOther = (who: Who): Who => {
  if (who === "owner") return "other_owner";
  if (who === "other_owner") return "owner";
  return ["member", "viewer", "support", "manager"].includes(who) ? "stranger" : who;
};

export type Result = "allowed" | 401 | 403 | 404;

export function expectedOf(name: string, { id, path, area }: PlacedRoute, who: Who, place: Place): Result {
  const allowed = mayCall[name] ?? [];
  if (who === "anonymous" && !allowed.includes(who)) return 401;
  const isHere = allowed.includes(place === "other" ? inOther(who) : who);
  const refused = hidden.includes(id) ? 404 : 403;
  if (place === "none") {
    // A record in a path with its community is looked up after the caller's right, and so is one without a community.
    const isLate = /\{community_id\}.*\{(id|user_id)\}/.test(path) || area === "brands" || area === "users";
    return isLate && !isHere ? refused : 404;
  }
  if (ofMembership.includes(id)) return who === "member" && place === "own" && !missing.includes(id) ? "allowed" : 404;
  return isHere ? "allowed" : refused;
}

/** Routes of the community that no table of roles has, because they are for everybody. */
const isPublic = ({ access }: PlacedRoute): boolean => access === "public" || access === "optional";

/**
 * The expected result for an API key of the community: that of a person in the team with the same role on the routes of
 * the community that roles have, and 403 on all others.
 */
export function expectedOfKey(name: string, route: PlacedRoute, who: KeyWho, place: Place): Result {
  const role = who.replace("_key", "") as Who;
  const ofRoles = mayCall[name]?.includes("manager") && !mayCall[name].includes("stranger") && !isPublic(route);
  if (!ofRoles) return 403;
  return expectedOf(name, route, role, place);
}

export const resultOf = (status: number): Result =>
  status === 401 || status === 403 || status === 404 ? status : "allowed";

/** The records of a community, and the people who have something to do with it. */
export async function aScene(table: Writer) {
  const community = await aCommunity(table);
  const member = await aMember(table, community);
  const placeOf = async (role: TeamRole): Promise<As> => ({
    id: (await aTeamMember(table, community, { role })).user_id,
  });
  const records: Readonly<Record<string, unknown>> = {
    members: member.id,
    subscriptions: member.id,
    tiers: community.tier.id,
    benefits: (await aBenefit(table, community)).id,
    destinations: (await aDestination(table, community)).id,
    communities: community.id,
    team: (await anInvitation(table, community)).id,
    keys: (await anApiKey(table, community)).id,
    users: community.owner.id,
  };
  const { user_id } = await aTeamMember(table, community);
  const roles = {
    viewer: await placeOf("viewer"),
    support: await placeOf("support"),
    manager: await placeOf("manager"),
  };
  const paramsOf = (area: string) => ({ community_id: community.id, user_id, delivery_id: 7, id: records[area] });
  const keys: Readonly<Record<KeyWho, string>> = {
    viewer_key: (await anApiKey(table, community, { role: "viewer" })).key,
    support_key: (await anApiKey(table, community, { role: "support" })).key,
    manager_key: (await anApiKey(table, community, { role: "manager" })).key,
  };
  return { community, member, roles, keys, user_id, paramsOf };
}

/**
 * A request without an effect: with an invalid body, or a version that does not exist. A caller with the right gets an error
 * about the request.
 */
export const requestFor = ({ id, method }: PlacedRoute, isCsv: boolean) => ({
  // Without a slug, the list of all communities is for admins: see roles.test.ts.
  query: id === "CommunitiesList" ? "slug=any" : "",
  headers: { ...(method !== "GET" && { "if-match": '"none"' }), ...(isCsv && { accept: "text/csv" }) },
});
export const nothing = { nothing_of_this_name: true };

export const cases = apiRoutes.flatMap((route) => [
  { name: route.id, route, isCsv: false },
  ...(route.csv ? [{ name: `${route.id} as CSV`, route, isCsv: true }] : []),
]);
