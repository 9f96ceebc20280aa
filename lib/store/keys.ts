import { comparableEmail } from "../values/email.ts";

/** The primary key of an item. */
export type Key = { readonly pk: string; readonly sk: string };

/** Ids stand in keys with 16 digits, so that text order is the order of numbers, and so of time. */
const id = (value: number): string => String(value).padStart(16, "0");

/** Stands between a search token and a member's id: below every character of a token, so `anna` precedes `anna lena`. */
const separator = "\u0001";

/**
 * Kinds of items that are queried by the start of their keys, or told apart in the stream. Prefixes are upper case and
 * ids have one case, as the local engine's `begins_with` ignores the case of ASCII.
 */
const kinds = {
  community: { pk: "COMMUNITY#", sk: "COMMUNITY" },
  tier: { pk: "COMMUNITY#", sk: "TIER#" },
  benefit: { pk: "COMMUNITY#", sk: "BENEFIT#" },
  destination: { pk: "COMMUNITY#", sk: "DESTINATION#" },
  delivery: { pk: "DESTINATION#", sk: "DELIVERY#" },
  member: { pk: "COMMUNITY#", sk: "MEMBER#" },
  movement: { pk: "COMMUNITY#", sk: "MOVEMENT#" },
  barrier: { pk: "COMMUNITY#", sk: "BARRIER" },
  memberParent: { pk: "MEMBER#", sk: "COMMUNITY" },
  dispute: { pk: "MEMBER#", sk: "DISPUTE#" },
  operation: { pk: "MEMBER#", sk: "OPERATION#" },
  payment: { pk: "MEMBER#", sk: "PAYMENT#" },
  refund: { pk: "MEMBER#", sk: "REFUND#" },
  subscription: { pk: "MEMBER#", sk: "SUBSCRIPTION#" },
  activity: { pk: "", sk: "ACTIVITY#" },
  user: { pk: "USER#", sk: "USER" },
  membership: { pk: "USER#", sk: "MEMBERSHIP#" },
  customerOf: { pk: "USER#", sk: "CUSTOMER#" },
  ownedCommunity: { pk: "USER#", sk: "OWNED#" },
  erasure: { pk: "USER#", sk: "ERASURE" },
  brand: { pk: "BRAND#", sk: "BRAND" },
  brandOfProducer: { pk: "PRODUCER#", sk: "BRAND#" },
} as const satisfies Record<string, Key>;

export type Kind = keyof typeof kinds;

/** How the keys of a kind start. */
export const prefixOf = (kind: Kind): Key => kinds[kind];

/** The kind of an item; undefined for those that are only ever read by their whole key. */
export const kindOf = ({ pk, sk }: Key): Kind | undefined =>
  kindNames.find((kind) => pk.startsWith(kinds[kind].pk) && sk.startsWith(kinds[kind].sk));

const kindNames = Object.keys(kinds) as Kind[];

/** The items of a kind among those of a partition. */
export const ofKind = <T extends { readonly pk?: unknown; readonly sk?: unknown }>(items: readonly T[], kind: Kind) =>
  items.filter(({ pk, sk }) => kindOf({ pk: String(pk), sk: String(sk) }) === kind);

/** The single-table design, whole: one line per kind of item, and nothing else builds a key. */
export const keys = {
  /** A community with its tiers is one Query: `sk >= "COMMUNITY"`; with its benefits, the whole partition. */
  community: (communityId: number): Key => ({ pk: community(communityId), sk: kinds.community.sk }),
  stats: (communityId: number): Key => ({ pk: community(communityId), sk: "STATS" }),
  tier: (communityId: number, tierId: number): Key => ({
    pk: community(communityId),
    sk: `${kinds.tier.sk}${id(tierId)}`,
  }),
  /** Leads from a tier's id to its community. */
  tierParent: (tierId: number): Key => ({ pk: `TIER#${id(tierId)}`, sk: "PARENT" }),
  benefit: (communityId: number, benefitId: number): Key => ({
    pk: community(communityId),
    sk: `${kinds.benefit.sk}${id(benefitId)}`,
  }),
  /** Leads from a benefit's id to its community. */
  benefitParent: (benefitId: number): Key => ({ pk: `BENEFIT#${id(benefitId)}`, sk: "PARENT" }),
  /** In a partition of its own, so that a community is read without what others are sent. */
  destination: (communityId: number, destinationId: number): Key => ({
    pk: `${community(communityId)}#DESTINATIONS`,
    sk: `${kinds.destination.sk}${id(destinationId)}`,
  }),
  /** Leads from a destination's id to its community. */
  destinationParent: (destinationId: number): Key => ({ pk: destination(destinationId), sk: "PARENT" }),
  /** An event for a destination, with the attempts to deliver it. */
  delivery: (destinationId: number, deliveryId: number) => within(destination(destinationId), "delivery", deliveryId),
  /** The time span whose events are being resent to a destination, and how far that has come. */
  resend: (destinationId: number): Key => ({ pk: destination(destinationId), sk: "RESEND" }),
  /** Every community, by status, newest last. */
  listedCommunity: (status: "active" | "archived", communityId: number): Key => ({
    pk: `COMMUNITIES#${status.toUpperCase()}`,
    sk: id(communityId),
  }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: "SLUG" }),

  member: (communityId: number, memberId: number): Key => ({
    pk: `${community(communityId)}#MEMBERS`,
    sk: `${kinds.member.sk}${id(memberId)}`,
  }),
  /** A change of a member's access or monthly amount, by its time and number. Barriers come after it in the stream. */
  movement: (communityId: number, memberId: number, at: string, number: number): Key => ({
    pk: `${community(communityId)}#MEMBERS`,
    sk: `${kinds.movement.sk}${id(memberId)}#${at}#${number}`,
  }),
  /** What the movements and payments of a day or of a month come to: of `2026-11-03`, or of `2026-11`. */
  sums: (communityId: number, on: string): Key => ({
    pk: `${community(communityId)}#SERIES`,
    sk: on.length > 7 ? `DAY#${on}` : `MONTH#${on}`,
  }),
  /** Finds a member by the start of a folded token. */
  memberSearch: (communityId: number, token: string, memberId: number): Key => ({
    pk: `${community(communityId)}#SEARCH`,
    sk: `${token}${separator}${id(memberId)}`,
  }),

  /** Leads from a member's id to their community: what an id is taken by. */
  memberParent: (memberId: number): Key => ({ pk: member(memberId), sk: kinds.memberParent.sk }),
  operation: (memberId: number, operationId: string): Key => ({
    pk: member(memberId),
    sk: `${kinds.operation.sk}${operationId}`,
  }),
  /** Every refund, whoever made it, by the time it was made. */
  refund: (memberId: number, issuedAt: string, refundId: string): Key => ({
    pk: member(memberId),
    sk: `${kinds.refund.sk}${issuedAt}#${refundId}`,
  }),
  /** Every invoice of the member's subscriptions with the charges that pay it, by the time it was made. */
  payment: (memberId: number, createdAt: string, invoiceId: string): Key => ({
    pk: member(memberId),
    sk: `${kinds.payment.sk}${createdAt}#${invoiceId}`,
  }),
  /** Every dispute of a charge of the member. */
  dispute: (memberId: number, disputeId: string): Key => ({
    pk: member(memberId),
    sk: `${kinds.dispute.sk}${disputeId}`,
  }),
  /** A subscription at Stripe that is the member's. */
  subscription: (memberId: number, subscriptionId: string): Key => ({
    pk: member(memberId),
    sk: `${kinds.subscription.sk}${subscriptionId}`,
  }),
  activity: (memberId: number, entryId: number): Key => ({
    pk: member(memberId),
    sk: `${kinds.activity.sk}${id(entryId)}`,
  }),
  /** In a partition of its own, so that a community is read without its activity. */
  communityActivity: (communityId: number, entryId: number): Key => ({
    pk: `${community(communityId)}#ACTIVITY`,
    sk: `${kinds.activity.sk}${id(entryId)}`,
  }),
  /** Operations that are not finished, oldest first, for whoever finishes what others left. */
  openOperation: (createdAt: string, operationId: string): Key => ({
    pk: "OPERATIONS",
    sk: `${createdAt}#${operationId}`,
  }),
  /** Members by the end of their billing period, to be looked at after it. */
  due: (at: string, communityId: number, memberId: number): Key => ({
    pk: "DUE",
    sk: `${at}#${id(communityId)}#${id(memberId)}`,
  }),
  /** What the schedule could not finish, by the time of its next attempt. */
  failed: (at: string, name: string): Key => ({ pk: "FAILED", sk: `${at}#${name}` }),
  /** How far a walk through one list of the schedule has come. */
  progress: (list: string): Key => ({ pk: "PROGRESS", sk: list }),
  /** Says that somebody works at what only one may at a time. */
  lease: (name: string): Key => ({ pk: "LEASE", sk: name }),

  /** Finds a member by their Stripe customer. */
  customer: (customerId: string): Key => ({ pk: `STRIPE#${customerId}`, sk: "LINK" }),
  /** Which synchronizations of a customer events have caused. */
  syncTurns: (customerId: string): Key => ({ pk: `STRIPE#${customerId}`, sk: "SYNCS" }),
  /** Held by the one operation that may refund a charge. */
  chargeLock: (chargeId: string): Key => ({ pk: `STRIPE#${chargeId}`, sk: "LOCK" }),
  stripeEvent: (eventId: string): Key => ({ pk: `STRIPE#${eventId}`, sk: "EVENT" }),
  /** The Stripe customer that a person is in a community, made before their first checkout. */
  customerOf: (userId: number, communityId: number): Key => ({
    pk: user(userId),
    sk: `${kinds.customerOf.sk}${id(communityId)}`,
  }),

  brand: (brandId: string): Key => ({ pk: `${kinds.brand.pk}${brandId}`, sk: kinds.brand.sk }),
  /** Beside the brand itself, which is read from under its producers. */
  brandActivity: (brandId: string, entryId: number): Key => ({
    pk: `${kinds.brand.pk}${brandId}`,
    sk: `${kinds.activity.sk}${id(entryId)}`,
  }),
  /** The copy of a brand under one of its producers. */
  brandOfProducer: (producerId: string, brandId: string): Key => ({
    pk: `${kinds.brandOfProducer.pk}${producerId}`,
    sk: `${kinds.brandOfProducer.sk}${brandId}`,
  }),

  /** A community's row in the directory: each change moves it to the end, so that readers read only what is new. */
  directoryRow: (changeTimeMs: number, communityId: number): Key => ({
    pk: "DIRECTORY",
    sk: `${id(changeTimeMs)}#${id(communityId)}`,
  }),

  /** A record of the table's stream that has been counted. */
  streamRecord: (eventId: string): Key => ({ pk: `STREAM#${eventId}`, sk: "SEEN" }),
  /** A marker in the stream. It comes after all changes of members that were made before it. */
  barrier: (communityId: number): Key => ({ pk: `${community(communityId)}#MEMBERS`, sk: kinds.barrier.sk }),
  /** Says that a community is counted again, so that changes of its members are noted meanwhile … */
  recount: (communityId: number): Key => ({ pk: community(communityId), sk: "RECOUNT" }),
  /** … by how many had been counted with them. */
  recountedChanges: (communityId: number, changes: number): Key => ({
    pk: `${community(communityId)}#RECOUNT`,
    sk: id(changes),
  }),
  /** Says which objects are the newest snapshots of the directory, and what they must be like. */
  snapshot: (): Key => ({ pk: "DIRECTORY#SNAPSHOT", sk: "POINTER" }),

  user: (userId: number): Key => ({ pk: user(userId), sk: kinds.user.sk }),
  /** Finds a user by the `sub` of a token. */
  subject: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "USER" }),
  /** Finds a user by their email address. */
  email: (email: string): Key => ({ pk: `EMAIL#${comparableEmail(email)}`, sk: "USER" }),
  /** Says that the person with this `sub` has set their password with a code from their mailbox. */
  mailboxProof: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "PROOF" }),
  /** Until when the account with this `sub` is invited as an admin, and when its authenticator app was first seen. */
  adminAccess: (sub: string): Key => ({ pk: `SUB#${sub}`, sk: "ADMIN" }),
  /** A request with an `Idempotency-Key`, by the id of what it stands for: that it is going on, or what it was answered. */
  replay: (operationId: string): Key => ({ pk: `IDEMPOTENCY#${operationId}`, sk: "REPLAY" }),
  /** How much a person has asked for of what is limited together, or all have in a second since 1970. */
  usage: (of: string, bucket: string): Key => ({ pk: `USAGE#${of}`, sk: `BUCKET#${bucket}` }),
  /** What a person is to a community: one item per person and community. */
  membership: (userId: number, communityId: number) => within(user(userId), "membership", communityId),
  /** A community that a person owns. */
  ownedCommunity: (userId: number, communityId: number) => within(user(userId), "ownedCommunity", communityId),
  /** The erasure of a person, from its mark on. */
  erasure: (userId: number): Key => ({ pk: user(userId), sk: kinds.erasure.sk }),
  /** Erasures that the schedule looks at, by the time from which it does. */
  openErasure: (at: string, userId: number): Key => ({ pk: "ERASURES", sk: `${at}#${id(userId)}` }),
};

/** Every kind of item there is, by the name of its line in `keys`. */
export type ItemKind = keyof typeof keys;

/** The community whose partition, or whose members' partition, this is. */
export const communityOf = ({ pk }: Key): number => Number(pk.split("#")[1]);

/** The id that a sort key ends with, such as the community of a membership. */
export const lastIdOf = ({ sk }: Pick<Key, "sk">): number => Number(sk.split("#").at(-1));

/** The key of a record by its id, among those of its kind in a partition. */
const within = (pk: string, kind: Kind, recordId: number): Key => ({ pk, sk: `${kinds[kind].sk}${id(recordId)}` });

const member = (memberId: number) => `${kinds.refund.pk}${id(memberId)}`;
const community = (communityId: number) => `${kinds.community.pk}${id(communityId)}`;
const destination = (destinationId: number) => `${kinds.delivery.pk}${id(destinationId)}`;
const user = (userId: number) => `${kinds.membership.pk}${id(userId)}`;
