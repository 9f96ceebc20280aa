import { randomUUID } from "node:crypto";
import * as v from "valibot";
import { changeFrom } from "#lib/discovery/rows.ts";
import * as snapshot from "#lib/discovery/snapshot.ts";
import { StoredMovement } from "#lib/domain/movement-list.ts";
import { Operation } from "#lib/domain/operation.ts";
import { activityFields, brandActivityFields, communityActivityFields } from "#lib/fields/activity.ts";
import { storedEntries } from "#lib/fields/field.ts";
import { notedChanges } from "#lib/projections/recount.ts";
import { appSeenAt, hasCountedApp } from "#lib/store/admin-access.ts";
import * as apiKeyUse from "#lib/store/api-key-use.ts";
import * as apiKeys from "#lib/store/api-keys.ts";
import * as benefits from "#lib/store/benefits.ts";
import * as brands from "#lib/store/brands.ts";
import * as communities from "#lib/store/communities.ts";
import { idOfSlug } from "#lib/store/community-list.ts";
import * as customers from "#lib/store/customers.ts";
import * as deliveries from "#lib/store/deliveries.ts";
import * as destinations from "#lib/store/destinations.ts";
import { taskOf } from "#lib/store/due.ts";
import * as erasures from "#lib/store/erasures.ts";
import * as events from "#lib/store/events.ts";
import type { Item } from "#lib/store/expression.ts";
import * as facts from "#lib/store/facts.ts";
import { isHandled } from "#lib/store/handled-events.ts";
import * as idempotency from "#lib/store/idempotency.ts";
import * as invitations from "#lib/store/invitations.ts";
import { type ItemKind, type Key, lastIdOf } from "#lib/store/keys.ts";
import { fromItem, searchRow } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { findLink } from "#lib/store/members/sync.ts";
import { refuse } from "#lib/store/operations.ts";
import * as resends from "#lib/store/resends.ts";
import { addToDays, sumsBetween } from "#lib/store/series.ts";
import { signIn } from "#lib/store/sign-in.ts";
import { putStats, statsFrom } from "#lib/store/stats.ts";
import { seenOf } from "#lib/store/stream-records.ts";
import { beginTurn, syncTurnsOf } from "#lib/store/sync-turns.ts";
import type { Writer } from "#lib/store/table.ts";
import * as team from "#lib/store/team.ts";
import { communitiesOf, fromItem as teamMemberFrom } from "#lib/store/team-places.ts";
import * as tiers from "#lib/store/tiers.ts";
import { StoredTransaction } from "#lib/store/transactions.ts";
import { take, takePlace } from "#lib/store/usage.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { givenBy } from "../support/given.ts";

type Stored = Key & Item;

/** How this version uses the items of a kind. */
type Use = {
  /** Reads an item. Returns false or undefined, or throws, if this version does not understand the item. */
  readonly read: (table: Writer, item: Stored) => unknown;
  /**
   * Changes an item. `once` if items are never changed, only created and deleted. `whole` if each write replaces the item,
   * because it is derived from other items or describes a current state.
   */
  readonly change: "once" | "whole" | ((table: Writer, item: Stored) => Promise<unknown>);
};

/** Returns the numeric id in a part of a key. */
const idIn = (key: string, part = 1): number => Number(key.split("#")[part]);
/** Returns the text after the first word of a key. */
const textIn = (key: string): string => key.slice(key.indexOf("#") + 1);

const isThere = async (table: Writer, { pk, sk }: Stored) => (await table.get({ pk, sk })) !== undefined;
const there = <T>(found: T | undefined): T => {
  if (found === undefined) throw new Error("The item is not found");
  return found;
};

const findBenefit = async (table: Writer, { community_id, id }: Item) =>
  there(await benefits.find(table, Number(community_id), Number(id)));
const findDestination = async (table: Writer, { community_id, id }: Item) =>
  there(await destinations.find(table, Number(community_id), Number(id)));
const renameBrand = async (table: Writer, item: Item) => {
  const { id, producer_ids } = brands.fromItem(item);
  const brand = there(await brands.find(table, producer_ids[0] ?? "", id));
  return brands.update(table, brand, { name: `${brand.name} 2`, producer_ids }, givenBy());
};
const toggleBlock = async (table: Writer, communityId: number, memberId: number) => {
  const member = there(await members.find(table, communityId, memberId));
  if (member.erased_at !== undefined) return;
  await (member.is_blocked ? members.unblock(table, member, givenBy()) : members.block(table, member, null, givenBy()));
};

const renameUser = async (table: Writer, userId: number) => {
  const { sub, email, username, erased_at } = there(await users.find(table, userId));
  if (erased_at !== undefined) return;
  const account = {
    sub: sub ?? `sub of ${userId}`,
    accountName: username,
    username: undefined,
    email,
    isVerified: true,
  };
  const names = { first_name: "New", last_name: "Name" };
  await signIn(table, { ...account, ...names, isInvited: true }, { now: new Date(), isGone: async () => false });
};
/** Changes the reserved member id after a checkout has lapsed, or assigns another Stripe customer to a member. */
const changeCustomer = async (table: Writer, { pk, sk }: Stored) => {
  const [userId, communityId] = [idIn(pk), lastIdOf({ sk })];
  const customer = there(await customers.find(table, userId, communityId));
  if ((await users.find(table, userId))?.erased_at !== undefined) return;
  const { member_id, customer_id } = customer;
  if (await memberships.find(table, userId, communityId)) {
    const member = there(await members.find(table, communityId, member_id));
    const link = { customer_id: `cus_${randomUUID()}`, community_id: communityId, member_id, user_id: userId };
    await customers.tie(table, link, member, customer_id ?? undefined);
    return;
  }
  const tier = there((await communities.open(table, communityId)).tiers.find(({ status }) => status === "active"));
  await customers.reserve(table, { userId, communityId, tierId: tier.id }, customer, member_id + 1, true);
};

export const uses: Readonly<Record<ItemKind, Use>> = {
  activity: { read: (_, item) => v.parse(v.object(storedEntries(activityFields)), item), change: "once" },
  adminAccess: {
    read: (table, { pk }) => hasCountedApp(table, textIn(pk)),
    change: (table, { pk }) =>
      appSeenAt(table, textIn(pk), {
        isNewSession: true,
        now: () => new Date(),
        hasApp: async () => false,
        endSessions: async () => {},
      }),
  },
  barrier: { read: isThere, change: "whole" },
  benefit: {
    read: findBenefit,
    change: async (table, item) =>
      benefits.update(table, await findBenefit(table, item), { name: `${String(item.name)} 2` }, givenBy()),
  },
  benefitParent: { read: (table, { pk }) => benefits.communityOf(table, idIn(pk)), change: "once" },
  brand: { read: (_, item) => brands.fromItem(item), change: renameBrand },
  brandActivity: { read: (_, item) => v.parse(v.object(storedEntries(brandActivityFields)), item), change: "once" },
  brandOfProducer: { read: (_, item) => brands.fromItem(item), change: renameBrand },
  chargeLock: { read: isThere, change: "once" },
  community: {
    read: (table, { id }) => communities.open(table, Number(id)),
    change: async (table, { id, name }) =>
      communities.update(table, await communities.open(table, Number(id)), { name: `${String(name)} 2` }, givenBy()),
  },
  communityActivity: {
    read: (_, item) => v.parse(v.object(storedEntries(communityActivityFields)), item),
    change: "once",
  },
  customer: {
    read: (table, { pk }) => findLink(table, textIn(pk)),
    change: async (table, { pk, customer_id }) => {
      const link = there(await findLink(table, textIn(pk)));
      if ((await users.find(table, link.user_id))?.erased_at !== undefined) return;
      const member = await members.find(table, link.community_id, link.member_id);
      await customers.tie(table, { ...link, customer_id: `cus_${randomUUID()}` }, member, String(customer_id));
    },
  },
  customerOf: {
    read: (table, { pk, sk }) => customers.find(table, idIn(pk), lastIdOf({ sk })),
    change: changeCustomer,
  },
  delivery: {
    read: (table, { destination_id, id }) => deliveries.find(table, Number(destination_id), Number(id)),
    change: async (table, { destination_id, id }) => {
      const delivery = there(await deliveries.find(table, Number(destination_id), Number(id)));
      await deliveries.drop(table, delivery);
    },
  },
  destination: {
    read: findDestination,
    change: async (table, item) => {
      const community = await communities.open(table, Number(item.community_id));
      const changes = { description: "Another description" };
      await destinations.update(table, community, await findDestination(table, item), changes, givenBy());
    },
  },
  destinationParent: { read: (table, { pk }) => destinations.communityOf(table, idIn(pk)), change: "once" },
  directoryRow: { read: (_, item) => changeFrom(item), change: "whole" },
  dispute: {
    read: (_, item) => v.parse(facts.StoredDispute, item),
    change(table, item) {
      const known = v.parse(facts.StoredDispute, item);
      return write(table, [facts.putDispute(idIn(item.pk), { ...known, status: "lost", closed_as: "lost" }, known)]);
    },
  },
  due: { read: (_, item) => taskOf(item), change: "whole" },
  email: { read: (table, { pk }) => users.idOfEmail(table, textIn(pk)), change: "once" },
  event: { read: (table, { pk }) => events.bodyOf(table, textIn(pk)), change: "once" },
  eventCount: {
    read: (table, { pk }) => events.list(table, idIn(pk), { per: 1 }),
    change: (table, { pk }) => events.addAll(table, idIn(pk), [{ id: randomUUID(), type: "tier.updated" }]),
  },
  erasure: {
    read: (table, { pk }) => erasures.find(table, idIn(pk)),
    change: async (table, { pk }) => erasures.close(table, there(await erasures.find(table, idIn(pk)))),
  },
  failed: { read: (_, item) => taskOf(item), change: "whole" },
  apiKey: {
    read: (_, item) => apiKeys.fromItem(item),
    change(table, item) {
      const { id: apiKeyId, secret_hash: secretHash } = apiKeys.fromItem(item);
      return apiKeyUse.use(table, { apiKeyId, secretHash });
    },
  },
  apiKeyOf: { read: isThere, change: "once" },
  importedAs: { read: (_, item) => users.userIdOf(item), change: "whole" },
  invitation: { read: (_, item) => invitations.fromItem(item), change: "once" },
  invitationParent: { read: (table, { pk }) => invitations.communityOf(table, idIn(pk)), change: "once" },
  invitationTo: { read: (table, { pk }) => invitations.toAddressHash(table, textIn(pk)), change: "whole" },
  lease: { read: isThere, change: "whole" },
  listedCommunity: { read: isThere, change: "whole" },
  listedEvent: {
    read: async (table, { pk, event_type }) =>
      (await events.list(table, idIn(pk), { per: 100, type: String(event_type) })).data[0],
    change: "once",
  },
  listedMovement: { read: (_, item) => v.parse(StoredMovement, item), change: "once" },
  mailboxProof: { read: isThere, change: "whole" },
  reservedMember: { read: isThere, change: "once" },
  member: {
    read: (_, item) => fromItem(item),
    change: (table, { community_id, id }) => toggleBlock(table, Number(community_id), Number(id)),
  },
  memberParent: { read: isThere, change: "once" },
  memberSearch: { read: (_, item) => searchRow(item), change: "whole" },
  membership: {
    read: (table, { pk, community_id }) => memberships.find(table, idIn(pk), Number(community_id)),
    change: (table, { community_id, member_id }) => toggleBlock(table, Number(community_id), Number(member_id)),
  },
  movement: { read: (_, item) => v.parse(StoredMovement, item), change: "once" },
  openErasure: { read: (_, item) => users.userIdOf(item), change: "whole" },
  openOperation: { read: (_, item) => taskOf(item), change: "whole" },
  operation: {
    read: (_, item) => v.parse(Operation, item),
    async change(table, { pk, sk, ...item }) {
      await write(table, [{ update: { pk, sk }, set: { state: "open" }, when: "exists" }]);
      await refuse(table, { ...v.parse(Operation, item), state: "open" }, new Date());
    },
  },
  ownedCommunity: { read: isThere, change: "whole" },
  payment: {
    read: (_, item) => v.parse(facts.StoredPayment, item),
    change(table, item) {
      const known = v.parse(facts.StoredPayment, item);
      return write(table, [facts.putPayment(idIn(item.pk), known, known)]);
    },
  },
  progress: { read: isThere, change: "whole" },
  recount: { read: isThere, change: "whole" },
  recountedChanges: { read: (table, { pk, sk }) => notedChanges(table, idIn(pk), Number(sk)), change: "once" },
  refund: {
    read: (_, item) => v.parse(facts.StoredRefund, item),
    change(table, item) {
      const known = v.parse(facts.StoredRefund, item);
      return write(table, [facts.putRefund(idIn(item.pk), { ...known, status: "failed" }, known)]);
    },
  },
  replay: { read: (table, { pk }) => idempotency.find(table, textIn(pk)), change: "whole" },
  resend: {
    read: (table, { pk, requested_at }) => resends.find(table, idIn(pk), String(requested_at)),
    async change(table, { pk, requested_at }) {
      const resend = there(await resends.find(table, idIn(pk), String(requested_at)));
      await resends.release(table, idIn(pk), resend, 1);
    },
  },
  slug: { read: (table, { pk }) => idOfSlug(table, textIn(pk)), change: "once" },
  snapshot: { read: (table) => snapshot.list(table, table.runtime.now()), change: "whole" },
  stats: {
    read: (_, item) => statsFrom(item),
    change: (table, item) => write(table, [putStats(idIn(item.pk), statsFrom(item), statsFrom(item))]),
  },
  streamRecord: { read: async (table, { pk }) => (await seenOf(table, [textIn(pk)])).size === 1, change: "once" },
  stripeEvent: { read: (table, { pk }) => isHandled(table, textIn(pk)), change: "once" },
  subject: { read: isThere, change: "once" },
  subscription: {
    read: (_, item) => v.parse(facts.StoredSubscription, item),
    change(table, item) {
      const known = v.parse(facts.StoredSubscription, item);
      return write(table, [facts.putSubscription(idIn(item.pk), { ...known, standing: "rejected" }, known)]);
    },
  },
  sums: {
    read: async (table, { pk, sk }) => (await sumsBetween(table, idIn(pk), textIn(sk), textIn(sk)))[0],
    change: (table, { pk, sk }) => write(table, addToDays(idIn(pk), { [textIn(sk)]: { joined: 1 } })),
  },
  syncTurns: {
    read: async (table, { pk }) => (await syncTurnsOf(table, textIn(pk))).begun > 0,
    change: async (table, { pk }) => beginTurn(table, textIn(pk), await syncTurnsOf(table, textIn(pk))),
  },
  teamMember: {
    read: (_, item) => teamMemberFrom(item),
    change: (table, item) => team.update(table, teamMemberFrom(item), { role: "viewer" }, givenBy()),
  },
  teamOf: { read: (table, { pk }) => communitiesOf(table, idIn(pk)), change: "whole" },
  tier: {
    read: (table, { community_id, id }) => tiers.find(table, Number(community_id), Number(id)),
    change: async (table, { community_id, id, name }) =>
      tiers.update(
        table,
        there(await tiers.find(table, Number(community_id), Number(id))),
        { name: `${String(name)} 2` },
        givenBy(),
      ),
  },
  tierParent: { read: (table, { pk }) => tiers.communityOf(table, idIn(pk)), change: "once" },
  transaction: { read: (_, item) => v.parse(StoredTransaction, item), change: "whole" },
  usage: {
    read: isThere,
    change: (table, { pk, sk, used, expires_at }) => {
      const name = textIn(sk);
      if (used === undefined) {
        const bucket = { name, burst: 20, everyMs: 3000 };
        const otherwise = new Error("The bucket is empty");
        return take(table, textIn(pk), { bucket, now: new Date(Number(expires_at) * 1000), otherwise });
      }
      const runtime = { ...table.runtime, now: () => new Date(idIn(pk) * 1000) };
      return takePlace({ ...table, runtime }, { name, perSecond: 10, ahead: 1 });
    },
  },
  user: {
    read: (table, { id }) => users.find(table, Number(id)),
    change: (table, item) => renameUser(table, Number(item.id)),
  },
};
