import { comparableEmail } from "../values/email.ts";
import { kinds } from "./kinds.ts";

/** The primary key of an item. */
export type Key = { readonly pk: string; readonly sk: string };

/**
 * Ids are padded to 16 digits in keys, so that their order as text is their numeric order, which is also the order of
 * time.
 */
const id = (value: number): string => String(value).padStart(16, "0");

/** Separates a search token from a member's id. Sorts before all characters of tokens: `anna` precedes `anna lena`. */
const separator = "\u0001";

export type Kind = keyof typeof kinds;

/** The key prefixes of a kind. */
export const prefixOf = (kind: Kind): Key => kinds[kind];

/** The kind of an item. Undefined for items that are only read by their full key. */
export const kindOf = ({ pk, sk }: Key): Kind | undefined =>
  kindNames.find((kind) => pk.startsWith(kinds[kind].pk) && sk.startsWith(kinds[kind].sk));

const kindNames = Object.keys(kinds) as Kind[];

/** Filters the items of a partition by kind. */
export const ofKind = <T extends { readonly pk?: unknown; readonly sk?: unknown }>(items: readonly T[], kind: Kind) =>
  items.filter(({ pk, sk }) => kindOf({ pk: String(pk), sk: String(sk) }) === kind);

/** The complete single-table design, one entry per kind of item. No other code builds keys. */
export const keys = {
  /** One Query reads a community with its tiers (`sk >= "COMMUNITY"`), or with its benefits (the whole partition). */
  community: (communityId: number): Key => ({ pk: community(communityId), sk: kinds.community.sk }),
  stats: (communityId: number): Key => ({ pk: community(communityId), sk: "STATS" }),
  tier: (communityId: number, tierId: number) => within(community(communityId), "tier", tierId),
  /** Finds the community of a tier. */
  tierParent: (tierId: number): Key => ({ pk: `TIER#${id(tierId)}`, sk: "PARENT" }),
  benefit: (communityId: number, benefitId: number) => within(community(communityId), "benefit", benefitId),
  /** Finds the community of a benefit. */
  benefitParent: (benefitId: number): Key => ({ pk: `BENEFIT#${id(benefitId)}`, sk: "PARENT" }),
  /** In a separate partition, so that reading a community does not read its destinations. */
  destination: (communityId: number, destinationId: number) =>
    within(`${community(communityId)}#DESTINATIONS`, "destination", destinationId),
  /** Finds the community of a destination. */
  destinationParent: (destinationId: number): Key => ({ pk: destination(destinationId), sk: "PARENT" }),
  /** An event, with its place in the list of its community. */
  event: (eventId: string): Key => ({ pk: `EVENT#${eventId}`, sk: "EVENT" }),
  /** An entry of the list of a community's events, by its number. */
  listedEvent: (communityId: number, number: number) => within(events(communityId), "listedEvent", number),
  /** The number of the last event in the list of a community. */
  eventCount: (communityId: number): Key => ({ pk: events(communityId), sk: "COUNT" }),
  /** An event for a destination, with the attempts to deliver it. */
  delivery: (destinationId: number, deliveryId: number) => within(destination(destinationId), "delivery", deliveryId),
  /** The time span whose events are being resent to a destination, with the progress. */
  resend: (destinationId: number): Key => ({ pk: destination(destinationId), sk: "RESEND" }),
  /** A person in the team of a community. In a separate partition, so that reading a community does not read its team. */
  teamMember: (communityId: number, userId: number) => within(team(communityId), "teamMember", userId),
  /** An invitation to the team of a community. */
  invitation: (communityId: number, invitationId: number) => within(team(communityId), "invitation", invitationId),
  /** Finds the community of an invitation. */
  invitationParent: (invitationId: number): Key => ({ pk: `INVITATION#${id(invitationId)}`, sk: "PARENT" }),
  /** Finds the invitation of an email address, by its hash, to a community, which has at most one. */
  invitationTo: (addressHash: string, communityId: number) =>
    within(`${kinds.invitationTo.pk}${addressHash}`, "invitationTo", communityId),
  /** An API key, by the id that the key itself contains, so that a request reads it beside the community. */
  apiKey: (apiKeyId: number): Key => ({ pk: `${kinds.apiKey.pk}${id(apiKeyId)}`, sk: kinds.apiKey.sk }),
  /** Finds the API keys of a community. */
  apiKeyOf: (communityId: number, apiKeyId: number) =>
    within(`${community(communityId)}#API_KEYS`, "apiKeyOf", apiKeyId),
  /** Every community, by status, newest last. */
  listedCommunity: (status: "active" | "archived", communityId: number): Key => ({
    pk: `COMMUNITIES#${status.toUpperCase()}`,
    sk: id(communityId),
  }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: "SLUG" }),

  member: (communityId: number, memberId: number) => within(`${community(communityId)}#MEMBERS`, "member", memberId),
  /** A change of a member's access or monthly amount. Shares the barriers' partition, so that the stream keeps their order. */
  movement: (communityId: number, memberId: number, at: string, number: number): Key => ({
    pk: `${community(communityId)}#MEMBERS`,
    sk: `${kinds.movement.sk}${id(memberId)}#${at}#${number}`,
  }),
  /** A movement in the list of its community, by time. */
  listedMovement: (communityId: number, memberId: number, at: string, number: number): Key => ({
    pk: `${community(communityId)}#MOVEMENTS`,
    sk: `${kinds.listedMovement.sk}${at}#${id(memberId)}#${id(number)}`,
  }),
  /** Totals of the movements and payments of a day (`2026-11-03`) or a month (`2026-11`). */
  sums: (communityId: number, on: string): Key => ({
    pk: `${community(communityId)}#SERIES`,
    sk: on.length > 7 ? `DAY#${on}` : `MONTH#${on}`,
  }),
  /** Finds members by the prefix of a folded token. */
  memberSearch: (communityId: number, token: string, memberId: number): Key => ({
    pk: `${community(communityId)}#SEARCH`,
    sk: `${token}${separator}${id(memberId)}`,
  }),

  /** Keeps the id of a future member from others until the member is stored. */
  reservedMember: (memberId: number): Key => ({ pk: `RESERVED#${id(memberId)}`, sk: "MEMBER" }),
  /** Finds the community of a member. Makes the member's id unique. */
  memberParent: (memberId: number): Key => ({ pk: member(memberId), sk: kinds.memberParent.sk }),
  operation: (memberId: number, operationId: string) => ofMember(memberId, "operation", operationId),
  /** A refund, by the time it was issued, whether issued in Odis or in Stripe. */
  refund: (memberId: number, issuedAt: string, refundId: string) =>
    ofMember(memberId, "refund", `${issuedAt}#${refundId}`),
  /** An invoice of a subscription with its charges, by the time the invoice was created. */
  payment: (memberId: number, createdAt: string, invoiceId: string) =>
    ofMember(memberId, "payment", `${createdAt}#${invoiceId}`),
  /** A dispute of one of the member's charges. */
  dispute: (memberId: number, disputeId: string) => ofMember(memberId, "dispute", disputeId),
  /** A Stripe subscription of the member. */
  subscription: (memberId: number, subscriptionId: string) => ofMember(memberId, "subscription", subscriptionId),
  /** A payment, refund or dispute in the list of its community: by type, then by `position`, its time and id. */
  transaction: (communityId: number, type: string, position: string): Key => ({
    pk: `${community(communityId)}#TRANSACTIONS`,
    sk: `${kinds.transaction.sk}${type.toUpperCase()}#${position}`,
  }),
  activity: (memberId: number, entryId: number) => within(member(memberId), "activity", entryId),
  /** In a separate partition, so that reading a community does not read its activity. */
  communityActivity: (communityId: number, entryId: number) =>
    within(`${community(communityId)}#ACTIVITY`, "activity", entryId),
  /** Unfinished operations, oldest first. The schedule resumes them. */
  openOperation: (createdAt: string, operationId: string): Key => ({
    pk: "OPERATIONS",
    sk: `${createdAt}#${operationId}`,
  }),
  /** Members by the time of their next check, such as the end of their billing period. */
  due: (at: string, communityId: number, memberId: number): Key => ({
    pk: "DUE",
    sk: `${at}#${id(communityId)}#${id(memberId)}`,
  }),
  /** Failed tasks of the schedule, by the time of the next attempt. */
  failed: (at: string, name: string): Key => ({ pk: "FAILED", sk: `${at}#${name}` }),
  /** Progress of the current pass through a list of the schedule. */
  progress: (list: string): Key => ({ pk: "PROGRESS", sk: list }),
  /** Held by the worker of a job that must not run twice at the same time. */
  lease: (name: string): Key => ({ pk: "LEASE", sk: name }),

  /** Finds a member by their Stripe customer. */
  customer: (customerId: string): Key => ({ pk: `STRIPE#${customerId}`, sk: "LINK" }),
  /** Number and state of the synchronizations of a customer that events have caused. */
  syncTurns: (customerId: string): Key => ({ pk: `STRIPE#${customerId}`, sk: "SYNCS" }),
  /** Held by the one operation that may refund a charge, change a subscription, or schedule its end. */
  chargeLock: (objectId: string): Key => ({ pk: `STRIPE#${objectId}`, sk: "LOCK" }),
  stripeEvent: (eventId: string): Key => ({ pk: `STRIPE#${eventId}`, sk: "EVENT" }),
  /** A person's Stripe customer in a community, created before their first checkout. */
  customerOf: (userId: number, communityId: number) => within(user(userId), "customerOf", communityId),

  brand: (brandId: string): Key => ({ pk: `${kinds.brand.pk}${brandId}`, sk: kinds.brand.sk }),
  /** In the partition of the brand. Reads of a brand use the copies under its producers. */
  brandActivity: (brandId: string, entryId: number): Key => ({
    pk: `${kinds.brand.pk}${brandId}`,
    sk: `${kinds.activity.sk}${id(entryId)}`,
  }),
  /** The copy of a brand under one of its producers. */
  brandOfProducer: (producerId: string, brandId: string): Key => ({
    pk: `${kinds.brandOfProducer.pk}${producerId}`,
    sk: `${kinds.brandOfProducer.sk}${brandId}`,
  }),

  /** A community's row in the directory. Each change moves it to the end, so that readers read only new rows. */
  directoryRow: (changeTimeMs: number, communityId: number): Key => ({
    pk: "DIRECTORY",
    sk: `${id(changeTimeMs)}#${id(communityId)}`,
  }),

  /** Marks a record of the table's stream as counted. */
  streamRecord: (eventId: string): Key => ({ pk: `STREAM#${eventId}`, sk: "SEEN" }),
  /** A marker in the stream. It follows all changes of members that were made before it. */
  barrier: (communityId: number): Key => ({ pk: `${community(communityId)}#MEMBERS`, sk: kinds.barrier.sk }),
  /** Set while a community is recounted. Changes of its members are then stored as `recountedChanges`. */
  recount: (communityId: number): Key => ({ pk: community(communityId), sk: "RECOUNT" }),
  /** Changes during a recount, by the number of changes counted so far. */
  recountedChanges: (communityId: number, changes: number): Key => ({
    pk: `${community(communityId)}#RECOUNT`,
    sk: id(changes),
  }),
  /** Object keys and sizes of the latest snapshots of the directory. */
  snapshot: (): Key => ({ pk: "DIRECTORY#SNAPSHOT", sk: "POINTER" }),

  user: (userId: number): Key => ({ pk: user(userId), sk: kinds.user.sk }),
  /** Finds a user by the `sub` of a token. */
  subject: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "USER" }),
  /** Finds a user by their email address. */
  email: (email: string): Key => ({ pk: `EMAIL#${comparableEmail(email)}`, sk: "USER" }),
  /** Proof that the person with this `sub` has set their password with a code from their mailbox. */
  mailboxProof: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "PROOF" }),
  /** Until when the account with this `sub` is invited as an admin, and when its authenticator app was first seen. */
  adminAccess: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "ADMIN" }),
  /** The idempotency record of a request with an `Idempotency-Key`, by operation id. */
  replay: (operationId: string): Key => ({ pk: `IDEMPOTENCY#${operationId}`, sk: "REPLAY" }),
  /** Use of a rate limit: by a person (`sub` and bucket name), or by everybody (second since 1970 and bucket name). */
  usage: (of: string, bucket: string): Key => ({ pk: `USAGE#${of}`, sk: `BUCKET#${bucket}` }),
  /** Finds the person whom a community has imported with an email address, by its hash. */
  importedAs: (addressHash: string, communityId: number): Key => ({
    pk: `IMPORTED#${addressHash}`,
    sk: `COMMUNITY#${id(communityId)}`,
  }),
  /** A person's membership of a community. */
  membership: (userId: number, communityId: number) => within(user(userId), "membership", communityId),
  /** A community that a person owns. */
  ownedCommunity: (userId: number, communityId: number) => within(user(userId), "ownedCommunity", communityId),
  /** A community in whose team a person is. */
  teamOf: (userId: number, communityId: number) => within(user(userId), "teamOf", communityId),
  /** The record of a person's erasure. */
  erasure: (userId: number): Key => ({ pk: user(userId), sk: kinds.erasure.sk }),
  /** Erasures by the time of their next check. */
  openErasure: (at: string, userId: number): Key => ({ pk: "ERASURES", sk: `${at}#${id(userId)}` }),
};

/** Every kind of item, by its name in `keys`. */
export type ItemKind = keyof typeof keys;

/** The community id in the key of a community's partition or its members' partition. */
export const communityOf = ({ pk }: Key): number => Number(pk.split("#")[1]);

/** The id at the end of a sort key, such as the community of a membership. */
export const lastIdOf = ({ sk }: Pick<Key, "sk">): number => Number(sk.split("#").at(-1));

/** The key of an item in the partition of a member. */
const ofMember = (memberId: number, kind: Kind, rest: string): Key => ({
  pk: member(memberId),
  sk: `${kinds[kind].sk}${rest}`,
});

/** The key of a record in a partition. */
const within = (pk: string, kind: Kind, recordId: number): Key => ({ pk, sk: `${kinds[kind].sk}${id(recordId)}` });

const member = (memberId: number) => `${kinds.refund.pk}${id(memberId)}`;
const community = (communityId: number) => `${kinds.community.pk}${id(communityId)}`;
const events = (communityId: number) => `${community(communityId)}#EVENTLIST`;
const team = (communityId: number) => `${community(communityId)}#TEAM`;
const destination = (destinationId: number) => `${kinds.delivery.pk}${id(destinationId)}`;
const user = (userId: number) => `${kinds.membership.pk}${id(userId)}`;
