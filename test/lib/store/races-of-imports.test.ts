import { randomUUID } from "node:crypto";
import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import * as v from "valibot";
import { expect, it } from "vitest";
import { MemberImport } from "#lib/domain/member-import.ts";
import * as communities from "#lib/store/communities.ts";
import * as customers from "#lib/store/customers.ts";
import * as erasures from "#lib/store/erasures.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import { importAll } from "#lib/store/members/imports.ts";
import { keyOf } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, type GivenCommunity, givenBy } from "../../support/given.ts";

const test = startTable();
const by = givenBy();
const at = "2026-01-01T00:00:00.000Z";

const set = (key: Key, attributes: Record<string, unknown>) =>
  write(test.table, [{ update: key, set: attributes, when: "exists" }]);

/** Imports records, each of another new person unless it says whom. */
async function sent(community: GivenCommunity, overs: readonly object[]) {
  const orders = overs.map((over, index) => {
    const record = v.parse(MemberImport, {
      user: { email: `${randomUUID()}@example.com` },
      tier_id: community.tier.id,
      status: "active",
      created_at: at,
      current_period_start: at,
      current_period_end: at,
      ...over,
    });
    return { index, record, metadata: { notes: "", tags: [], custom: {} }, atStripe: { subscription_id: null } };
  });
  const request = { actor: by, operationId: randomUUID(), begunAt: by.now, size: overs.length };
  const done = await importAll(test.table, await communities.open(test.table, community.id), orders, request);
  return done.toSorted((a, b) => a.index - b.index).map((outcome) => ({ ...outcome, code: outcome.errors?.[0]?.code }));
}

/** The outcomes of records, or the codes of their refusals. */
const importAllOf = async (community: GivenCommunity, overs: readonly object[]) =>
  (await sent(community, overs)).map(({ outcome, code }) => code ?? outcome);

/** Imports a person with a profile. */
const importing = async (community: GivenCommunity, userId: number, over: object) =>
  (await sent(community, [{ user: { id: userId }, ...over }]))[0];

/** A community, and a person with a profile who is not a member. */
async function prepared() {
  const [community, { owner }] = [await aCommunity(test.table), await aCommunity(test.table)];
  const [userId, customer] = [owner.id, `cus_${randomUUID()}`];
  const key = keys.customerOf(userId, community.id);
  const memberId = community.id + 1;
  const reserve = async () => {
    const reservation = { userId, communityId: community.id, tierId: community.tier.id };
    await customers.reserve(test.table, reservation, undefined, memberId);
  };
  const link = { customer_id: customer, community_id: community.id, member_id: memberId, user_id: userId };
  const replaceCustomer = () => set(key, { customer_id: "cus_other" });
  const found = async () => {
    const item = await test.table.get(keys.membership(userId, community.id));
    const member = await members.find(test.table, community.id, Number(item?.member_id));
    if (!member) throw new Error("There is no member");
    return member;
  };
  return { community, userId, customer, memberId, link, reserve, replaceCustomer, found };
}

type Prepared = Awaited<ReturnType<typeof prepared>>;

type ImportRace = {
  /** Done before the import. */
  readonly first?: (given: Prepared) => Promise<unknown>;
  readonly record?: (given: Prepared) => object;
  readonly meanwhile: (given: Prepared) => Promise<unknown>;
  readonly outcome: (given: Prepared) => object;
};

const refusal = (code: string) => () => ({ outcome: "refused", code });
const withCustomer = ({ customer }: Prepared) => ({ stripe_customer_id: customer });
const imported = ({ community, userId }: Prepared) => importing(community, userId, {});
const changed = () => ({ block_reason: null, current_period_end: "2027-01-01T00:00:00.000Z" });

it.each<readonly [string, ImportRace]>([
  [
    "with an id that is taken meanwhile is refused",
    {
      record: ({ memberId }) => ({ id: memberId }),
      meanwhile: async ({ memberId }) => aMember(test.table, await aCommunity(test.table), { id: memberId }),
      outcome: refusal("id_taken"),
    },
  ],
  [
    "with an id that somebody else's checkout reserves meanwhile is refused",
    {
      record: ({ memberId }) => ({ id: memberId }),
      meanwhile: async ({ memberId }) => {
        const { id, tier } = await aCommunity(test.table);
        await customers.reserve(test.table, { userId: 1, communityId: id, tierId: tier.id }, undefined, memberId);
      },
      outcome: refusal("id_taken"),
    },
  ],
  [
    "that another run of the same import makes meanwhile is unchanged",
    {
      record: ({ memberId }) => ({ id: memberId }),
      meanwhile: ({ community, userId, memberId }) => importing(community, userId, { id: memberId }),
      outcome: ({ memberId: id }) => ({ outcome: "unchanged", id }),
    },
  ],
  [
    "of a person who becomes a member meanwhile is refused",
    {
      meanwhile: ({ community, userId }) => aMember(test.table, community, { user: { id: userId } }),
      outcome: refusal("already_a_member"),
    },
  ],
  [
    "of a person who opens a first checkout meanwhile has the member id of the checkout",
    { meanwhile: ({ reserve }) => reserve(), outcome: ({ memberId: id }) => ({ outcome: "created", id }) },
  ],
  [
    "with a customer of a person who gets another one meanwhile is refused",
    {
      first: ({ reserve }) => reserve(),
      record: withCustomer,
      meanwhile: ({ replaceCustomer }) => replaceCustomer(),
      outcome: refusal("other_customer"),
    },
  ],
  [
    "with the customer of a person, which is replaced meanwhile, is refused",
    {
      first: async ({ reserve, link }) => {
        await reserve();
        await customers.tie(test.table, link, undefined, undefined);
      },
      record: withCustomer,
      meanwhile: ({ replaceCustomer }) => replaceCustomer(),
      outcome: refusal("other_customer"),
    },
  ],
  [
    "with a customer that becomes another person's meanwhile is refused",
    {
      record: withCustomer,
      meanwhile: ({ link, customer }) =>
        write(test.table, [{ put: { ...keys.customer(customer), ...link, member_id: 1, user_id: 1 } }]),
      outcome: refusal("other_customer"),
    },
  ],
  [
    "of a blocked person who becomes the owner meanwhile is refused",
    {
      record: () => ({ is_blocked: true }),
      meanwhile: ({ community, userId }) => set(keys.community(community.id), { owner_id: userId }),
      outcome: refusal("cannot_block_owner"),
    },
  ],
  [
    "of a person who is erased meanwhile is refused",
    {
      meanwhile: async ({ userId }) => {
        const user = await users.find(test.table, userId);
        if (user) await erasures.begin(test.table, user, {}, undefined);
      },
      outcome: refusal("person_erased"),
    },
  ],
  [
    "of changed data of a member who is edited meanwhile is refused",
    {
      first: imported,
      record: changed,
      meanwhile: async ({ found }) => {
        const member = await found();
        await set(keyOf(member), { version: member.version + 1 });
      },
      outcome: refusal("already_a_member"),
    },
  ],
  [
    "of changed data of a member who is synchronized meanwhile is refused",
    {
      first: imported,
      record: changed,
      meanwhile: async ({ found }) => set(keyOf(await found()), { sync_version: 1 }),
      outcome: refusal("already_a_member"),
    },
  ],
])("an import %s", async (_, { first, record, meanwhile, outcome }) => {
  const given = await prepared();
  await first?.(given);
  const result = await beforeWrite(
    test.client,
    () => meanwhile(given),
    () => importing(given.community, given.userId, record?.(given) ?? {}),
  );
  expect(result).toMatchObject(outcome(given));
});

it("an import by email address of a person who is erased meanwhile is refused", async () => {
  const { community, userId } = await prepared();
  const email = `${randomUUID()}@example.com`;
  await write(test.table, [
    { update: keys.user(userId), set: { email }, when: "exists" },
    { put: { ...keys.email(email), user_id: userId } },
  ]);
  const meanwhile = async () => {
    const person = await users.find(test.table, userId);
    if (person) await erasures.begin(test.table, person, {}, undefined);
  };
  const result = await beforeWrite(test.client, meanwhile, () => importAllOf(community, [{ user: { email } }]));
  expect(result).toEqual(["person_erased"]);
});

it("an import that blocks 25 people has no transactions that conflict with each other", async () => {
  const community = await aCommunity(test.table);
  const busy = new Set<string>();
  let conflicts = 0;
  // DynamoDB cancels a transaction if another one is in progress on one of its items, also if that is only checked.
  const middleware = { step: "initialize", name: "conflicts" } as const;
  test.client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        if (!commandName.startsWith("TransactWrite")) return next(args);
        const { TransactItems = [] } = args.input as TransactWriteCommandInput;
        const names = TransactItems.map(({ Put, Update, Delete, ConditionCheck }) => {
          const { pk, sk } = (Put?.Item ?? (Update ?? Delete ?? ConditionCheck)?.Key ?? {}) as Partial<Key>;
          return `${pk} ${sk}`;
        });
        if (names.some((name) => busy.has(name))) conflicts++;
        for (const name of names) busy.add(name);
        return next(args).finally(() => {
          for (const name of names) busy.delete(name);
        });
      },
    middleware,
  );
  const outcomes = await importAllOf(
    community,
    Array.from({ length: 25 }, () => ({ is_blocked: true })),
  ).finally(() => test.client.middlewareStack.remove(middleware.name));
  expect(outcomes).toEqual(Array(25).fill("created"));
  expect(conflicts).toBe(0);
});

it("a refused record does not mark its tier as used", async () => {
  const community = await aCommunity(test.table);
  expect(await importAllOf(community, [{ created_at: "2999-01-01T00:00:00.000Z" }])).toEqual(["in_the_future"]);
  expect(await test.table.get(keys.tier(community.id, community.tier.id))).toMatchObject({ in_use: false });
});

it.each([
  ["id", ({ id }: GivenCommunity) => ({ id: id + 1 })],
  ["Stripe customer", ({ id }: GivenCommunity) => ({ stripe_customer_id: `cus_${id}` })],
])("of two records of a request with the same %s, the first one is imported", async (_, common) => {
  const community = await aCommunity(test.table);
  expect(await importAllOf(community, [common(community), common(community)])).toEqual(["created", "duplicate"]);
});

it("an import of a person who gets another name meanwhile creates a member with that name", async () => {
  const { community, userId, found } = await prepared();
  await beforeWrite(
    test.client,
    () => set(keys.user(userId), { first_name: "Renamed" }),
    () => importing(community, userId, {}),
  );
  expect((await found()).user.first_name).toBe("Renamed");
});
