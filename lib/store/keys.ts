/** The primary key of an item. */
export type Key = { readonly pk: string; readonly sk: string };

/** Ids stand in keys with 16 digits, so that text order is the order of numbers, and so of time. */
const id = (value: number): string => String(value).padStart(16, "0");

/** Stands between a search token and a member's id: below every character of a token, so `anna` precedes `anna lena`. */
const separator = "\u0001";

/**
 * The single-table design, whole: one line per kind of item, and nothing else builds a key.
 *
 * Prefixes are upper case and ids have one case, as the local engine's `begins_with` ignores the case of ASCII.
 */
export const keys = {
  /** A community with its tiers is one Query: `sk >= "COMMUNITY"`; with its benefits, the whole partition. */
  community: (communityId: number): Key => ({ pk: community(communityId), sk: "COMMUNITY" }),
  stats: (communityId: number): Key => ({ pk: community(communityId), sk: "STATS" }),
  tier: (communityId: number, tierId: number): Key => ({ pk: community(communityId), sk: `TIER#${id(tierId)}` }),
  /** Leads from a tier's id to its community. */
  tierParent: (tierId: number): Key => ({ pk: `TIER#${id(tierId)}`, sk: "PARENT" }),
  benefit: (communityId: number, benefitId: number): Key => ({
    pk: community(communityId),
    sk: `BENEFIT#${id(benefitId)}`,
  }),
  /** Leads from a benefit's id to its community. */
  benefitParent: (benefitId: number): Key => ({ pk: `BENEFIT#${id(benefitId)}`, sk: "PARENT" }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: "SLUG" }),

  member: (communityId: number, memberId: number): Key => ({
    pk: `${community(communityId)}#MEMBERS`,
    sk: `MEMBER#${id(memberId)}`,
  }),
  /** Finds a member by the start of a folded token. */
  memberSearch: (communityId: number, token: string, memberId: number): Key => ({
    pk: `${community(communityId)}#SEARCH`,
    sk: `${token}${separator}${id(memberId)}`,
  }),

  /** Leads from a member's id to their community: what an id is taken by. */
  memberParent: (memberId: number): Key => ({ pk: member(memberId), sk: "COMMUNITY" }),
  operation: (memberId: number, operationId: string): Key => ({ pk: member(memberId), sk: `OPERATION#${operationId}` }),
  /** Every refund, whoever made it, by the time it was made. */
  refund: (memberId: number, issuedAt: string, refundId: string): Key => ({
    pk: member(memberId),
    sk: `REFUND#${issuedAt}#${refundId}`,
  }),
  activity: (memberId: number, activityId: number): Key => ({
    pk: member(memberId),
    sk: `ACTIVITY#${id(activityId)}`,
  }),
  /** Operations that are not finished, oldest first, for whoever finishes what others left. */
  openOperation: (createdAt: string, operationId: string): Key => ({
    pk: "OPERATIONS",
    sk: `${createdAt}#${operationId}`,
  }),
  /** Members whose billing period ends on a day, to be looked at after it. */
  due: (day: string, communityId: number, memberId: number): Key => ({
    pk: `DUE#${day}`,
    sk: `MEMBER#${id(communityId)}#${id(memberId)}`,
  }),

  /** Finds a member by their Stripe customer. */
  customer: (customerId: string): Key => ({ pk: `STRIPE#${customerId}`, sk: "LINK" }),
  /** Held by the one operation that may refund a charge. */
  chargeLock: (chargeId: string): Key => ({ pk: `STRIPE#${chargeId}`, sk: "LOCK" }),
  stripeEvent: (eventId: string): Key => ({ pk: `STRIPE#${eventId}`, sk: "EVENT" }),
  /** The Stripe customer that a person is in a community, made before their first checkout. */
  customerOf: (userId: number, communityId: number): Key => ({ pk: user(userId), sk: `CUSTOMER#${id(communityId)}` }),

  brand: (brandId: string): Key => ({ pk: `BRAND#${brandId}`, sk: "BRAND" }),
  /** The copy of a brand under one of its producers. */
  brandOfProducer: (producerId: string, brandId: string): Key => ({
    pk: `PRODUCER#${producerId}`,
    sk: `BRAND#${brandId}`,
  }),

  /** A community's row in the directory: each change moves it to the end, so that readers read only what is new. */
  directoryRow: (changeTimeMs: number, communityId: number): Key => ({
    pk: "DIRECTORY",
    sk: `${id(changeTimeMs)}#${id(communityId)}`,
  }),

  /** A record of the table's stream that has been counted. */
  streamRecord: (eventId: string): Key => ({ pk: `STREAM#${eventId}`, sk: "SEEN" }),
  /** Stands in the stream behind all changes of members that were made before it. */
  barrier: (communityId: number): Key => ({ pk: `${community(communityId)}#MEMBERS`, sk: "BARRIER" }),
  /** Says which snapshot of the directory is the newest, and what it must be like. */
  snapshot: (): Key => ({ pk: "DIRECTORY#SNAPSHOT", sk: "POINTER" }),
  snapshotChunk: (version: number, n: number): Key => ({
    pk: `DIRECTORY#SNAPSHOT#${id(version)}`,
    sk: `CHUNK#${id(n)}`,
  }),

  user: (userId: number): Key => ({ pk: user(userId), sk: "USER" }),
  /** Finds a user by the `sub` of a token. */
  subject: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "USER" }),
  /** Finds a user by an e-mail address that is theirs. */
  email: (email: string): Key => ({ pk: `EMAIL#${email.toLowerCase()}`, sk: "USER" }),
  /** A request with an `Idempotency-Key`, by the id of what it stands for: that it is going on, or what it was answered. */
  replay: (operationId: string): Key => ({ pk: `IDEMPOTENCY#${operationId}`, sk: "REPLAY" }),
  /** How much a person has asked for in a minute of what is limited. */
  usage: (sub: string, minute: number): Key => ({ pk: `USAGE#${sub}`, sk: `MINUTE#${minute}` }),
  /** What a person is to a community: one item per person and community. */
  membership: (userId: number, communityId: number): Key => ({
    pk: user(userId),
    sk: `MEMBERSHIP#${id(communityId)}`,
  }),
};

/** The community whose partition, or whose members' partition, this is. */
export const communityOf = ({ pk }: Key): number => Number(pk.split("#")[1]);

/** Partition keys of the indexes that member lists are filtered by; their sort key is the member's own. */
export const memberIndex = {
  status: (communityId: number, status: string): string => `${community(communityId)}#STATUS#${status}`,
  tier: (communityId: number, tierId: number): string => `${community(communityId)}#TIER#${id(tierId)}`,
  blocked: (communityId: number, isBlocked: boolean): string => `${community(communityId)}#BLOCKED#${isBlocked}`,
};

const member = (memberId: number) => `MEMBER#${id(memberId)}`;
const community = (communityId: number) => `COMMUNITY#${id(communityId)}`;
const user = (userId: number) => `USER#${id(userId)}`;

/** The table as it is created, on AWS and locally: all keys are strings, all indexes hold whole items. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  indexes: {
    by_status: { partitionKey: "status_pk", sortKey: "sk" },
    by_tier: { partitionKey: "tier_pk", sortKey: "sk" },
    by_blocked: { partitionKey: "blocked_pk", sortKey: "sk" },
  },
  ttl: "expires_at",
} as const;

export type IndexName = keyof typeof tableSchema.indexes;
