import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import type { Intent, Operation } from "#lib/domain/operation.ts";
import { bySystem } from "#lib/store/activity.ts";
import * as communities from "#lib/store/communities.ts";
import * as customers from "#lib/store/customers.ts";
import * as erasures from "#lib/store/erasures.ts";
import { putSubscription } from "#lib/store/facts.ts";
import { markHandled } from "#lib/store/handled-events.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import { edit } from "#lib/store/members/editable.ts";
import { keyOf, type StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { putMovement } from "#lib/store/members/movements.ts";
import { type Sync, save } from "#lib/store/members/sync.ts";
import { changeTerm, endOf } from "#lib/store/members/term.ts";
import * as operations from "#lib/store/operations.ts";
import { proveMailbox } from "#lib/store/sign-in.ts";
import * as tiers from "#lib/store/tiers.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity, givenBy, memberOf } from "../../support/given.ts";
import { itLoses, run } from "./races.ts";

const test = startTable();
const by = givenBy();
const { now } = by;
const at = now.toISOString();
const later = new Date(now.getTime() + 1000).toISOString();

const set = (key: Key, attributes: Record<string, unknown>) =>
  write(test.table, [{ update: key, set: attributes, when: "exists" }]);

const some = async (over?: Partial<StoredMember>) => aMember(test.table, await aCommunity(test.table), over);

const edited = (member: StoredMember) => edit(member, { metadata: { notes: "Edited" } });

const erasureOf = (userId: number): erasures.Erasure => ({
  user_id: userId,
  sub: null,
  actor_id: null,
  request_id: null,
  begun_at: at,
  finished_at: null,
  address_hash: null,
  account_address_hash: null,
  counts: {},
  due_at: at,
});

async function mark(member: StoredMember): Promise<void> {
  for (const membership of await memberships.ofUser(test.table, member.user.id))
    await erasures.markMembership(test.table, erasureOf(member.user.id), membership);
}

const syncOf = (before: StoredMember | undefined, after: StoredMember, over: Partial<Sync> = {}): Sync => ({
  before,
  after,
  confirmation: {},
  facts: [],
  transactions: [],
  done: [],
  begun: [],
  auditEntries: [],
  eventId: undefined,
  ...over,
});

/** A member who is not stored yet, with a profile. */
async function aFutureMember(community: GivenCommunity): Promise<StoredMember> {
  const member = memberOf(community);
  const user = users.newUser({ sub: null, ...member.user }, now, Math.random);
  await write(test.table, users.profile({ ...user, id: member.user.id }));
  return member;
}

/** More facts than fit into one transaction. */
const manyFacts = ({ id }: StoredMember): Sync["facts"] =>
  Array.from({ length: 101 }, (_, n) => ({
    write: putSubscription(id, { subscription_id: `sub_${n}`, standing: "accepted" }, undefined),
  }));

const linkOf = ({ community_id, id, user }: StoredMember, customer_id = `cus_${randomUUID()}`) => ({
  customer_id,
  community_id,
  member_id: id,
  user_id: user.id,
});

const reservationOf = ({ community_id, user, tier_id }: StoredMember) => ({
  userId: user.id,
  communityId: community_id,
  tierId: tier_id,
});

/** Stores the id of the person's future member. The member's own id is taken. */
const reserve = (member: StoredMember, id = member.id + 2) =>
  customers.reserve(test.table, reservationOf(member), undefined, id);

const works: Readonly<Record<string, (member: StoredMember) => Promise<unknown>>> = {
  "an edit": (member) => members.update(test.table, member, edited(member), by),
  "a block": (member) => members.block(test.table, member, null, by),
  "an operation with If-Match": (member) =>
    operations.begin(test.table, operationOf(member), [members.unchanged(member)]),
  "an end of the term": (member) => changeTerm(test.table, member, endOf(member, at), { actor: bySystem }),
  "the mark of an erasure": mark,
  "the end after an erasure": (member) => erasures.endErased(test.table, member),
  "a synchronization": (member) =>
    save(test.table, syncOf(member, { ...member, lifetime_spend_cents: 1, updated_at: at }), now),
  "a synchronization in several transactions": (member) =>
    save(test.table, syncOf(member, member, { facts: manyFacts(member) }), now),
  "a new Stripe customer": (member) => customers.tie(test.table, linkOf(member), member, undefined),
};

const changes = {
  version: 99,
  sync_version: 99,
  address_version: 99,
  is_blocked: true,
  status: "past_due",
  cancel_at: later,
  erased_at: at,
  imported: { fingerprint: "another import", version: 1, at },
};

it.each<readonly [keyof typeof works, keyof typeof changes]>([
  ["an edit", "version"],
  ["a block", "version"],
  ["an operation with If-Match", "version"],
  ["an end of the term", "version"],
  ["an end of the term", "sync_version"],
  ["the mark of an erasure", "version"],
  ["the mark of an erasure", "sync_version"],
  ["the mark of an erasure", "address_version"],
  ["the end after an erasure", "version"],
  ["the end after an erasure", "sync_version"],
  ["a synchronization", "sync_version"],
  ["a synchronization", "address_version"],
  ["a synchronization", "is_blocked"],
  ["a synchronization", "status"],
  ["a synchronization", "cancel_at"],
  ["a synchronization", "imported"],
  ["a synchronization in several transactions", "sync_version"],
  ["a synchronization in several transactions", "erased_at"],
  ["a new Stripe customer", "version"],
  ["a new Stripe customer", "address_version"],
])(
  "%s throws a Conflict and changes nothing if another writer has changed the member's %s",
  async (name, attribute) => {
    const member = await some();
    await reserve(member);
    const { error, before, after } = await run(test, {
      work: async () => works[name]?.(member),
      meanwhile: () => set(keyOf(member), { [attribute]: changes[attribute] }),
    });
    expect(error).toMatchObject({ name: "Conflict" });
    expect(after).toEqual(before);
  },
);

const confirmed = { confirmed_version: 7, confirmations: 3 };
const differing = (member: StoredMember) => ({ ...member, lifetime_spend_cents: 1 });

it.each<readonly [string, "confirmed_version" | "confirmations", (member: StoredMember) => Sync]>(
  (["confirmed_version", "confirmations"] as const).flatMap((attribute) => [
    ["a synchronization without changes", attribute, (member) => syncOf(member, member)],
    ["a synchronization with changes", attribute, (member) => syncOf(member, differing(member))],
    ["one in several transactions", attribute, (member) => syncOf(member, member, { facts: manyFacts(member) })],
  ]),
)("%s throws a Conflict and changes nothing if another one has changed the %s", async (_, attribute, sync) => {
  const member = await some({ sync_version: confirmed.confirmed_version });
  const key = keys.membership(member.user.id, member.community_id);
  await set(key, confirmed);
  const { error, before, after } = await run(test, {
    work: () => save(test.table, { ...sync(member), confirmation: confirmed }, now),
    meanwhile: () => set(key, { [attribute]: 99 }),
  });
  expect(error).toMatchObject({ name: "Conflict" });
  expect(after).toEqual(before);
});

function operationOf({ community_id, id }: StoredMember, over: Partial<Operation> = {}): Operation {
  return {
    id: randomUUID(),
    community_id,
    member_id: id,
    customer_id: "cus_1",
    actor_id: null,
    request_id: null,
    intent: { kind: "uncancel", subscription_id: `sub_${randomUUID()}` },
    fingerprint: null,
    state: "open",
    created_at: at,
    ...over,
  };
}

const begin = (operation: Operation) => operations.begin(test.table, operation);
const refuse = (operation: Operation) => operations.refuse(test.table, operation, now);
const reopen = (operation: Operation) => operations.reopen(test.table, operation, now);

async function begun(): Promise<Operation> {
  const operation = operationOf(await some());
  await begin(operation);
  return operation;
}

async function refused(): Promise<Operation> {
  const operation = await begun();
  await refuse(operation);
  return { ...operation, state: "refused", attempt: 2 };
}

const refundOf = (member: StoredMember, charge_id: string) => {
  const intent: Intent = { kind: "refund", charge_id, amount_cents: 100, reason: "duplicate", note: null };
  return operationOf(member, { intent });
};

async function aPerson(): Promise<{ readonly member: StoredMember; readonly user: users.User }> {
  const community = await aCommunity(test.table);
  const user = await users.find(test.table, community.owner.id);
  if (!user) throw new Error("The owner has no profile");
  return { member: memberOf(community, { user: users.shownPerson(user) }), user };
}

async function anErasure(): Promise<erasures.Erasure> {
  const { user } = await aPerson();
  return erasures.begin(test.table, user, {}, undefined);
}

const finish = (erasure: erasures.Erasure, dueAt: string) => erasures.finish(test.table, erasure, now, dueAt);

const newUser = (sub: string, email = "") => users.newUser({ sub, username: "ana", email }, now, Math.random);

async function reserved(): Promise<{ readonly member: StoredMember; readonly customer: customers.Customer }> {
  const { member } = await aPerson();
  return { member, customer: await reserve(member) };
}

/** Replaces a lapsed reservation, while its item changes. */
async function lapsed(meanwhile: (member: StoredMember, key: Key) => Promise<unknown>) {
  const { member, customer } = await reserved();
  const reservation = reservationOf(member);
  return {
    work: () => customers.reserve(test.table, reservation, customer, member.id + 1, true),
    meanwhile: () => meanwhile(member, keys.customerOf(member.user.id, member.community_id)),
  };
}

itLoses(test, [
  [
    "adding a person who becomes a member meanwhile",
    async () => {
      const community = await aCommunity(test.table);
      const member = memberOf(community);
      return {
        work: () => members.add(test.table, member),
        meanwhile: () => aMember(test.table, community, { user: { ...member.user, first_name: "Other" } }),
      };
    },
  ],
  [
    "blocking a member who becomes the owner meanwhile",
    async () => {
      const member = await some();
      return {
        work: () => members.block(test.table, member, null, by),
        meanwhile: () => set(keys.community(member.community_id), { owner_id: member.user.id }),
      };
    },
    { code: "cannot_block_owner" },
  ],
  [
    "a first synchronization of a person who becomes a member with another id meanwhile",
    async () => {
      const community = await aCommunity(test.table);
      const member = await aFutureMember(community);
      return {
        work: () => save(test.table, syncOf(undefined, member), now),
        meanwhile: () => aMember(test.table, community, { user: { ...member.user, first_name: "Other" } }),
      };
    },
  ],
  [
    "a first synchronization whose member id is taken meanwhile",
    async () => {
      const community = await aCommunity(test.table);
      const member = await aFutureMember(community);
      return {
        work: () => save(test.table, syncOf(undefined, member), now),
        meanwhile: () => aMember(test.table, community, { id: member.id }),
      };
    },
  ],
  [
    "a first synchronization of a person who gets another name meanwhile",
    async () => {
      const member = await aFutureMember(await aCommunity(test.table));
      return {
        work: () => save(test.table, syncOf(undefined, member), now),
        meanwhile: () => set(keys.user(member.user.id), { first_name: "Renamed" }),
      };
    },
  ],
  [
    "a synchronization for an event that is handled meanwhile",
    async () => {
      const member = await some();
      const eventId = `evt_${randomUUID()}`;
      return {
        work: () => save(test.table, syncOf(member, member, { eventId }), now),
        meanwhile: () => markHandled(test.table, eventId, now),
      };
    },
    { name: "Repeated" },
  ],
  [
    "a movement of a member whose key is taken meanwhile",
    async () => {
      const { id, community_id } = await some();
      const move = (access: "begun" | "ended") => () =>
        write(test.table, putMovement(community_id, { member_id: id, at, access, monthly: null }, 1));
      return { work: move("begun"), meanwhile: move("ended") };
    },
  ],
  [
    "storing a subscription that is stored meanwhile",
    async () => {
      const { id } = await some();
      const waiting = { subscription_id: "sub_1", standing: "waiting" } as const;
      const accepted = { ...waiting, standing: "accepted" } as const;
      return {
        work: () => write(test.table, [putSubscription(id, waiting, undefined)]),
        meanwhile: () => write(test.table, [putSubscription(id, accepted, undefined)]),
      };
    },
  ],
  [
    "rejecting a subscription that is accepted meanwhile",
    async () => {
      const { id } = await some();
      const waiting = { subscription_id: "sub_1", standing: "waiting" } as const;
      await write(test.table, [putSubscription(id, waiting, undefined)]);
      const change = (standing: "accepted" | "rejected") => () =>
        write(test.table, [putSubscription(id, { ...waiting, standing }, waiting)]);
      return { work: change("rejected"), meanwhile: change("accepted") };
    },
  ],
  [
    "beginning an operation that begins meanwhile",
    async () => {
      const operation = operationOf(await some());
      const other = { ...operation, request_id: "other" };
      return { work: () => begin(operation), meanwhile: () => begin(other) };
    },
  ],
  [
    "refunding a charge of which another refund begins meanwhile",
    async () => {
      const member = await some();
      const charge = `ch_${randomUUID()}`;
      return { work: () => begin(refundOf(member, charge)), meanwhile: () => begin(refundOf(member, charge)) };
    },
    { code: "request_in_progress" },
  ],
  [
    "storing a completed operation that is stored meanwhile",
    async () => {
      const operation = operationOf(await some());
      const done = (over: Partial<Operation>) => () =>
        write(test.table, [operations.putDone({ ...operation, ...over }, now)]);
      return { work: done({}), meanwhile: done({ request_id: "other" }) };
    },
  ],
  [
    "recording a refusal of an operation that completes meanwhile",
    async () => {
      const operation = await begun();
      return {
        work: () => refuse(operation),
        meanwhile: () => write(test.table, operations.completeAll([operation], now)),
      };
    },
    null,
  ],
  [
    "completing an operation that is refused meanwhile, whose lock another one has by then",
    async () => {
      const operation = await begun();
      return {
        work: () => write(test.table, operations.completeAll([operation], now)),
        meanwhile: async () => {
          await refuse(operation);
          await reopen({ ...operation, state: "refused", attempt: 2 });
        },
      };
    },
  ],
  [
    "completing two refunds of a charge, of which one is completed meanwhile",
    async () => {
      const member = await some();
      const charge = `ch_${randomUUID()}`;
      const [first, second] = [refundOf(member, charge), refundOf(member, charge)];
      await begin(first);
      return {
        work: () => write(test.table, operations.completeAll([first, second], now)),
        async meanwhile() {
          await write(test.table, operations.completeAll([first], now));
          await begin(second);
        },
      };
    },
  ],
  [
    "recording a refusal of an attempt after which another one begins meanwhile",
    async () => {
      const operation = await begun();
      return {
        work: () => refuse(operation),
        meanwhile: async () => {
          await refuse(operation);
          await reopen({ ...operation, state: "refused", attempt: 2 });
        },
      };
    },
    null,
  ],
  [
    "another attempt at an operation of which another one begins meanwhile",
    async () => {
      const operation = await refused();
      return { work: () => reopen(operation), meanwhile: () => reopen(operation) };
    },
  ],
  [
    "another attempt at an operation of which another one is refused meanwhile",
    async () => {
      const operation = await refused();
      return { work: () => reopen(operation), meanwhile: async () => refuse(await reopen(operation)) };
    },
  ],
  [
    "an erasure of a profile that changes meanwhile",
    async () => {
      const { user } = await aPerson();
      return {
        work: () => erasures.begin(test.table, user, {}, undefined),
        meanwhile: () => set(keys.user(user.id), { updated_at: new Date(0).toISOString() }),
      };
    },
  ],
  [
    "the mark of a membership without a member that is marked meanwhile",
    async () => {
      const member = await some();
      await write(test.table, [{ delete: keyOf(member) }]);
      const key = keys.membership(member.user.id, member.community_id);
      return { work: () => mark(member), meanwhile: () => set(key, { erased_at: later }) };
    },
  ],
  [
    "finishing an erasure that is finished meanwhile",
    async () => {
      const erasure = await anErasure();
      return { work: () => finish(erasure, later), meanwhile: () => finish(erasure, at) };
    },
  ],
  [
    "closing an erasure that is checked again meanwhile",
    async () => {
      const erasure = await anErasure();
      return { work: () => erasures.close(test.table, erasure), meanwhile: () => finish(erasure, later) };
    },
  ],
  [
    "a profile whose id is taken meanwhile",
    async () => {
      const user = newUser(randomUUID());
      return {
        work: () => users.add(test.table, user),
        meanwhile: () => users.add(test.table, { ...newUser(randomUUID()), id: user.id }),
      };
    },
  ],
  [
    "a profile whose email address is taken meanwhile",
    async () => {
      const email = `${randomUUID()}@example.com`;
      const add = () => users.add(test.table, newUser(randomUUID(), email), { ownsEmail: true });
      return { work: add, meanwhile: add };
    },
  ],
  [
    "a proof of the mailbox of a person who is erased meanwhile",
    async () => {
      const { user } = await aPerson();
      return {
        work: () => proveMailbox(test.table, user.sub ?? "", now),
        meanwhile: () => erasures.begin(test.table, user, {}, undefined),
      };
    },
    { code: "invalid_token" },
  ],
  [
    "a checkout of a person who is erased meanwhile",
    async () => {
      const { member, user } = await aPerson();
      return { work: () => reserve(member), meanwhile: () => erasures.begin(test.table, user, {}, undefined) };
    },
    { code: "invalid_token" },
  ],
  [
    "a checkout for a tier that is archived meanwhile",
    async () => {
      const { member } = await aPerson();
      const tier = await tiers.find(test.table, member.community_id, member.tier_id);
      if (!tier) throw new Error("There is no tier");
      return {
        work: () => reserve(member),
        meanwhile: () => tiers.update(test.table, tier, { status: "archived" }, by),
      };
    },
    { code: "unknown_tier" },
  ],
  [
    "a first checkout of a person who opens another one meanwhile",
    async () => {
      const { member } = await aPerson();
      return { work: () => reserve(member), meanwhile: () => reserve(member, member.id + 1) };
    },
  ],
  [
    "another id for a future member whose customer changes meanwhile",
    () => lapsed((_, key) => set(key, { customer_id: "cus_other" })),
  ],
  ["another id for a future member whose id changes meanwhile", () => lapsed((_, key) => set(key, { member_id: 1 }))],
  [
    "another id for a future member who joins meanwhile",
    () => lapsed((member) => members.add(test.table, { ...member, id: member.id - 1 })),
  ],
  [
    "an edit of a member without a customer who gets one meanwhile",
    async () => {
      const member = await some();
      const checks = [customers.isStill(member, undefined)];
      return {
        work: () => members.update(test.table, member, edited(member), by, checks),
        meanwhile: () => reserve(member),
      };
    },
  ],
  [
    "a first customer of a person who becomes a member meanwhile",
    async () => {
      const { member } = await reserved();
      return {
        work: () => customers.tie(test.table, linkOf(member), undefined, undefined),
        meanwhile: () => members.add(test.table, member),
      };
    },
  ],
  [
    "a new customer instead of a deleted one that is replaced meanwhile",
    async () => {
      const { member } = await reserved();
      const deleted = linkOf(member);
      await customers.tie(test.table, deleted, undefined, undefined);
      const replace = () => customers.tie(test.table, linkOf(member), undefined, deleted.customer_id);
      return { work: replace, meanwhile: replace };
    },
  ],
  [
    "a community for an owner without a profile",
    async () => ({
      work: () => communities.create(test.table, { name: "A", owner_id: 1, avatar_url: null, trending_pin: null }, by),
      meanwhile: async () => {},
    }),
    { code: "validation_failed" },
  ],
]);

it("a person whose profile is created twice at the same time gets one profile", async () => {
  const sub = randomUUID();
  const first = await users.add(test.table, newUser(sub));
  expect(await users.add(test.table, newUser(sub))).toBe(first);
});
