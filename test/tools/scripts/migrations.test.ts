import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { expect, it, vi } from "vitest";
import { appendAuditEntries, byStripe, bySystem, byUser } from "#lib/store/activity.ts";
import * as communities from "#lib/store/communities.ts";
import { listOfCommunity } from "#lib/store/community-activity.ts";
import { ownedBy } from "#lib/store/community-list.ts";
import { list as listMovements } from "#lib/store/community-movements.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, keys } from "#lib/store/keys.ts";
import { memberIndex } from "#lib/store/members/index-keys.ts";
import { keyOf, type StoredMember, searchOf, searchToken } from "#lib/store/members/item.ts";
import { list } from "#lib/store/members/list.ts";
import { copyToMembers } from "#lib/store/members/profile-copies.ts";
import { queryAll } from "#lib/store/query-all.ts";
import type { Writer } from "#lib/store/table.ts";
import { newUser, profile } from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { migrate, migrationNames, openMigrations } from "../../../tools/scripts/migrations.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { startTable } from "../../support/direct.ts";
import { aCommunity, aMember, anAddress, givenBy } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

vi.stubEnv("CURSOR_KEY", "a key");
const test = startTable();
const money = startMoney();
/** A table in which only the test itself leaves something to migrate. */
const own = startTable();
const migrated = (table: Writer, isDryRun = false) => migrate(table, { isDryRun, onProgress: () => {} });
const run = (isDryRun = false) => migrated(test.table, isDryRun);

it("migrate removes edited values from activity and stores owners once, and a dry run changes nothing", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community, { recorded_since: undefined });
  const owned = keys.ownedCommunity(community.owner.id, community.id);
  const listed = keys.listedCommunity("active", community.id);
  const entry = { id: 7, at: "2026-01-01T00:00:00.000Z", actor: { type: "user", id: 1 }, request_id: null };
  const edited = {
    action: "edited",
    before: { notes: "", custom: {} },
    after: { notes: "hidden", custom: { ssn: "1" } },
  };
  const blocked = { action: "blocked", before: { is_blocked: false }, after: { is_blocked: true } };
  await write(test.table, [
    { delete: owned },
    { delete: listed },
    { put: { ...keys.activity(member.id, 7), ...entry, ...edited } },
    { put: { ...keys.activity(member.id, 8), ...entry, id: 8, ...blocked } },
  ]);
  const found = {
    "activity of members that holds what was edited": 1,
    "activity of members in the list of their community": 2,
    "movements in the list of their community": 0,
    "owners of communities": 1,
    "list of communities": 1,
    "lists of members by access and address": 0,
    "search entries with full names, and without final sigmas": 0,
    "monthly amounts and intervals, which the schedule reads from Stripe": 0,
    "scheduled ends of members without a subscription": 0,
    "routine checks of members with long billing periods": 0,
    "memberships of erased people, which end": 0,
    "members whose transactions are listed": 0,
    "past of members, from paid invoices": 1,
  };

  expect((await run(true)).changed).toEqual(found);
  expect(await test.table.get(owned)).toBeUndefined();
  expect((await run()).changed).toEqual(found);
  expect(await test.table.get(keys.activity(member.id, 7))).toMatchObject({
    ...entry,
    action: "edited",
    before: null,
    after: { changed: expect.arrayContaining(["notes", "metadata"]) as unknown },
  });
  expect(await test.table.get(keys.activity(member.id, 8))).toMatchObject(blocked);
  expect(await test.table.get(owned)).toMatchObject({ community_id: community.id });
  expect(await test.table.get(listed)).toMatchObject({ community_id: community.id });
  expect(Object.values((await run()).changed)).toEqual(migrationNames.map(() => 0));
});

it("migrate lists a community only for its new owner if it is transferred after the scan has read it", async () => {
  const { client, table } = own;
  const [community, next] = [await aCommunity(table), await aCommunity(table)];
  await write(table, [{ delete: keys.ownedCommunity(community.owner.id, community.id) }]);
  await beforeWrite(
    client,
    async () => {
      const read = await communities.open(table, community.id);
      await communities.update(table, read, { owner_id: next.owner.id, status: "archived" }, givenBy());
    },
    () => migrated(table),
  );
  expect(await ownedBy(table, next.owner.id, 10)).toContain(community.id);
  expect(await ownedBy(table, community.owner.id, 10)).toEqual([]);
});

it("migrate lists in the activity of a community what people and keys did to its members, and leaves out the rest", async () => {
  const name = "activity of members in the list of their community";
  const { id: communityId } = await aCommunity(test.table);
  const member = { id: 5_120_001, community_id: communityId };
  const at = new Date();
  const entries = [
    { action: "blocked", actor: byUser(7) },
    { action: "unblocked", actor: { type: "api_key", id: 8 } },
    { action: "imported", actor: byUser(7) },
    { action: "tier_changed", actor: byStripe },
    { action: "canceled", actor: bySystem },
  ] as const;
  await write(test.table, [
    { put: { ...keys.memberParent(member.id), community_id: communityId } },
    ...appendAuditEntries(test.table, member, entries, at).map((entry) =>
      "put" in entry ? { put: { ...entry.put, status_pk: undefined } } : entry,
    ),
  ]);
  const listed = async () => {
    const { data } = await listOfCommunity(test.table, communityId, { per: 10, cursor: undefined, type: "member" });
    return data.map(({ action, record: { id } }) => [action, id]);
  };

  expect((await run(true)).changed[name]).toBe(2);
  expect(await listed()).toEqual([]);
  expect((await run()).changed[name]).toBe(2);
  expect(await listed()).toEqual([
    ["unblocked", member.id],
    ["blocked", member.id],
  ]);
  expect((await run()).changed[name]).toBe(0);
});

it("migrate lists the movements that an earlier version recorded, each once", async () => {
  const name = "movements in the list of their community";
  const { id: communityId } = await aCommunity(test.table);
  const at = "2026-01-01T00:00:00.000Z";
  const movements = [1, 12].map((n) => ({
    ...keys.movement(communityId, 5_120_002, at, n),
    member_id: 5_120_002,
    at,
    access: n === 1 ? "begun" : "ended",
    monthly: null,
  }));
  await write(
    test.table,
    movements.map((put) => ({ put })),
  );
  const listed = async () => {
    const { data } = await listMovements(test.table, communityId, { per: 10, cursor: undefined });
    return data.map(({ access, member }) => [access, member.id]);
  };

  expect((await run(true)).changed[name]).toBe(2);
  expect(await listed()).toEqual([]);
  expect((await run()).changed[name]).toBe(2);
  expect(await listed()).toEqual([
    ["ended", 5_120_002],
    ["begun", 5_120_002],
  ]);
  expect((await run()).changed[name]).toBe(0);
});

it("migrate adds members of earlier versions to the lists by access and address", async () => {
  const name = "lists of members by access and address";
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community, { shipping_address: anAddress() });
  const withoutAddress = await aMember(test.table, community);
  await write(test.table, [{ update: keyOf(member), set: { access_pk: undefined }, when: "exists" }]);
  const access_pk = memberIndex.access(community.id, community.tier.id, false, true);
  await write(test.table, [{ update: keyOf(withoutAddress), set: { access_pk }, when: "exists" }]);
  const listed = async (has_shipping_address: boolean) => {
    const { members } = await list(test.table, community.id, { per: 10, access: true, has_shipping_address });
    return members.map(({ id }) => id);
  };
  expect(await listed(true)).toEqual([]);
  expect((await run(true)).changed[name]).toBe(2);
  expect((await run()).changed[name]).toBe(2);
  expect((await run()).changed[name]).toBe(0);
  expect([await listed(true), await listed(false)]).toEqual([[member.id], [withoutAddress.id]]);
});

/** A client that edits a member each time before it is updated. */
function editing(member: StoredMember, edit: () => Promise<void>): Writer["client"] {
  const send = async (command: unknown, ...others: []) => {
    if (command instanceof UpdateCommand && command.input.Key?.sk === keyOf(member).sk) await edit();
    return test.client.send(command as never, ...others);
  };
  return Object.assign(Object.create(test.client) as Writer["client"], { send });
}

it("migrate updates a member that is edited at the same time", async () => {
  const name = "lists of members by access and address";
  const member = await aMember(test.table, await aCommunity(test.table));
  const stored = (await test.table.get(keyOf(member))) ?? {};
  await write(test.table, [{ put: { ...stored, ...keyOf(member), access_pk: undefined } }]);
  let isEdited = false;
  const client = editing(member, async () => {
    if (isEdited) return;
    isEdited = true;
    await write(test.table, [{ update: keyOf(member), set: { version: 99 }, when: "exists" }]);
  });

  expect((await migrated({ ...test.table, client })).changed[name]).toBe(1);
  expect(isEdited).toBe(true);
  expect(await test.table.get(keyOf(member))).toMatchObject({ version: 99, access_pk: stored.access_pk });
});

it("migrations are open if a member was edited during each attempt to update it, and is left out", async () => {
  const member = await aMember(test.table, await aCommunity(test.table));
  const stored = (await test.table.get(keyOf(member))) ?? {};
  await write(test.table, [
    { put: { ...stored, ...keyOf(member), access_pk: undefined } },
    { delete: keys.progress("migrations") },
  ]);
  let version = 100;
  const client = editing(member, () =>
    write(test.table, [{ update: keyOf(member), set: { version: version++ }, when: "exists" }]),
  );

  const { pk, sk } = keyOf(member);
  expect((await migrated({ ...test.table, client })).leftOut).toEqual([
    `${pk} ${sk}: It has changed during each attempt to update it`,
  ]);
  expect(await openMigrations(test.table)).toEqual(migrationNames);
  await run();
  expect(await openMigrations(test.table)).toEqual([]);
});

/** Stores the search items of a member as an earlier version did. By default, as versions before full names did. */
async function withFormerSearch(member: StoredMember, terms?: readonly string[]): Promise<void> {
  const { email, username, first_name, last_name } = member.user;
  const tokens = terms ?? [email, username, first_name, last_name].map((text) => searchToken(text)).toSorted();
  await write(
    test.table,
    searchOf(member).map(({ pk, sk }) => ({ delete: { pk, sk } })),
  );
  await write(
    test.table,
    tokens.map((token) => {
      return {
        put: { ...keys.memberSearch(member.community_id, token, member.id), member_id: member.id, token, tokens },
      };
    }),
  );
}

const searchTokens = async (communityId: number) => {
  const items = await queryAll(test.table, { pk: keys.memberSearch(communityId, "", 0).pk });
  return items.map(({ token }) => token);
};

it("migrate adds search entries with the full names of members of earlier versions", async () => {
  const name = "search entries with full names, and without final sigmas";
  const community = await aCommunity(test.table);
  const user = { first_name: "Kamala", last_name: "Ulloa", username: "kulloa", email: "k@example.com" };
  const member = await aMember(test.table, community, { user });
  const erased = await aMember(test.table, community);
  await withFormerSearch(member);
  await withFormerSearch(erased);
  await write(test.table, [{ put: keys.erasure(erased.user.id), when: "absent" }]);
  const find = async (query: string) =>
    (await list(test.table, community.id, { per: 10, query })).members.map(({ id }) => id);
  expect([await find("kamala"), await find("ulloa k"), await find("kamala u")]).toEqual([[member.id], [], []]);
  await run(true);
  expect(await find("kamala u")).toEqual([]);
  expect((await run()).changed[name]).toBe(1);
  expect((await run()).changed[name]).toBe(0);
  for (const query of ["kamala", "kamala u", "ulloa k", "kulloa"]) expect(await find(query)).toEqual([member.id]);
  expect(await searchTokens(community.id)).toEqual(
    expect.arrayContaining(["k@example.com", "kamala ulloa", "kulloa", "ulloa kamala"]),
  );
  expect(await searchTokens(community.id)).not.toContain("kamala");
});

it("migrate replaces final sigmas in the search entries of earlier versions, and so does a rename", async () => {
  const community = await aCommunity(test.table);
  const user = { first_name: "Κώστας", last_name: "Παπάς", username: "k", email: "k@example.com" };
  const [kept, renamed] = [
    await aMember(test.table, community, { user }),
    await aMember(test.table, community, { user }),
  ];
  for (const member of [kept, renamed])
    await withFormerSearch(member, ["k", "k@example.com", "κωστας παπας", "παπας κωστας"]);
  const now = new Date();
  const names = { sub: null, username: "ana", email: "", first_name: "Ana", last_name: "Roe" };
  const profiled = { ...newUser(names, now, Math.random), id: renamed.user.id };
  await write(test.table, profile(profiled));
  await copyToMembers(test.table, profiled, now);
  await run();
  expect(await searchTokens(community.id)).toEqual([
    "ana",
    "ana roe",
    "k",
    "k@example.com",
    "roe ana",
    "κωστασ παπασ",
    "παπασ κωστασ",
  ]);
});

it("a rename deletes the search entries of earlier versions, also without a migration", async () => {
  const community = await aCommunity(test.table);
  const member = await aMember(test.table, community, { user: { first_name: "Kamala", last_name: "Ulloa" } });
  await withFormerSearch(member);
  const now = new Date();
  const { id, username } = member.user;
  const user = { ...newUser({ sub: null, username, first_name: "Ana", last_name: "Roe" }, now, Math.random), id };
  await write(test.table, profile(user));
  await copyToMembers(test.table, user, now);
  expect(await searchTokens(community.id)).toEqual(["ana roe", "roe ana", username]);
});

it("a migration keeps the former and new values of edited communities, tiers and brands in their activity", async () => {
  const entry = { id: 9, at: "2026-01-01T00:00:00.000Z", action: "edited", actor: { type: "user", id: 1 } };
  const price = { before: { monthly_price_dollars: 25 }, after: { monthly_price_dollars: 30 } };
  const places = [keys.communityActivity(4711, 9), keys.brandActivity("0197a5b2-6f3e-7c41-9a55-1d2b3c4d5e6f", 9)];
  await write(
    test.table,
    places.map((key) => ({ put: { ...key, ...entry, ...price } })),
  );
  await run();
  for (const key of places) expect(await test.table.get(key)).toMatchObject(price);
});

it.each([
  ["monthly_cents", 2500],
  ["interval", "month"],
])("migrate schedules members without %s", async (field, value) => {
  const member = await money.aSubscriber(await money.aPricedCommunity());
  const { [field]: stored, ...earlier } = (await money.table.get(keyOf(member))) ?? {};
  await write(money.table, [{ put: { ...keyOf(member), ...earlier } }]);
  const name = "monthly amounts and intervals, which the schedule reads from Stripe";

  expect((await migrated(money.table)).changed[name]).toBe(1);
  expect((await migrated(money.table)).changed[name]).toBe(0);
  await money.reconcile(new Date());
  expect(stored).toBe(value);
  expect(await money.memberNow(member)).toMatchObject({ [field]: value });
  expect((await migrated(money.table)).changed[name]).toBe(0);
  expect(await money.table.query({ pk: keys.due("", 0, 0).pk, to: "1971" })).toMatchObject({ items: [] });
});

it("migrate schedules members that version 1.0.0 listed under other keys", async () => {
  const member = await money.aSubscriber(await money.aPricedCommunity());
  const { monthly_cents: _, ...earlier } = (await money.table.get(keyOf(member))) ?? {};
  const { pk } = keys.due("", 0, 0);
  const rows = async () => (await queryAll(money.table, { pk })).filter(({ member_id }) => member_id === member.id);
  const listed = await rows();
  expect(listed).toHaveLength(1);
  await write(money.table, [
    { put: { ...keyOf(member), ...earlier } },
    ...listed.map(({ sk }) => ({ delete: { pk, sk: String(sk) } })),
  ]);

  await migrated(money.table);
  await money.reconcile(new Date());
  expect(await rows()).toEqual(listed);
});

it("migrate schedules the end of memberships that an earlier version imported with an end", async () => {
  const cancel_at = "2026-01-01T00:00:00.000Z";
  const community = await aCommunity(money.table);
  const member = await aMember(money.table, community, {
    cancel_at,
    stripe_customer_id: null,
    stripe_subscription_id: null,
  });
  const name = "scheduled ends of members without a subscription";

  expect((await migrated(money.table)).changed[name]).toBe(1);
  expect((await migrated(money.table)).changed[name]).toBe(0);
  await money.reconcile(new Date());
  expect(await money.memberNow(member)).toMatchObject({ status: "canceled", ended_at: cancel_at });
});

it("migrate writes the past movements of members that have none, and writes them once", async () => {
  const member = await money.aSubscriber(await money.aPricedCommunity());
  const { recorded_since, first_paying_at, paid_cents_by_day, ...earlier } =
    (await money.table.get(keyOf(member))) ?? {};
  const { pk, sk: prefix } = keys.movement(member.community_id, member.id, "", 0);
  const movements = () => queryAll(money.table, { pk, prefix: prefix.slice(0, -2) });
  const recorded = await movements();
  await write(money.table, [
    { put: { ...keyOf(member), ...earlier } },
    ...recorded.map(({ sk }) => ({ delete: { pk, sk: String(sk) } })),
  ]);
  const name = "past of members, from paid invoices";

  expect((await migrated(money.table)).changed[name]).toBe(1);
  expect((await migrated(money.table)).changed[name]).toBe(0);
  const [movement, ...others] = await movements();
  expect(others).toEqual([]);
  expect(recorded).toHaveLength(1);
  expect(movement).toMatchObject({ access: "begun", monthly: { kind: "new", before_cents: 0, after_cents: 2500 } });
  expect(await money.memberNow(member)).toMatchObject({ paid_cents_by_day, updated_at: earlier.updated_at });
  expect([recorded_since, first_paying_at]).not.toContain(undefined);
});

it("migrate schedules routine checks of members with a yearly period", async () => {
  const community = await aCommunity(money.table);
  const member = await aMember(money.table, community, {
    stripe_customer_id: "cus_yearly",
    current_period_start: "2026-11-01T00:00:00.000Z",
    current_period_end: "2099-11-01T00:00:00.000Z",
  });
  const { sk } = keys.due("2026-12-01T00:00:00.000Z", community.id, member.id);
  await write(money.table, [{ delete: { pk: keys.due("", 0, 0).pk, sk } }]);
  const name = "routine checks of members with long billing periods";
  const rows = async () =>
    (await money.table.query({ pk: keys.due("", 0, 0).pk })).items.filter(({ member_id }) => member_id === member.id);

  expect(await rows()).toEqual([]);
  expect((await migrated(money.table)).changed[name]).toBe(1);
  expect((await migrated(money.table)).changed[name]).toBe(0);
  const at = Date.parse(String((await rows())[0]?.sk).slice(0, 24));
  expect(at - Date.now()).toBeLessThanOrEqual(30 * 86_400_000);
});

it("a migration is open until migrate has run to its end, and a dry run leaves it open", async () => {
  const table = money.table;
  await write(table, [{ delete: keys.progress("migrations") }]);
  await migrated(table, true);
  expect(await openMigrations(table)).toEqual(migrationNames);
  await migrated(table);
  expect(await openMigrations(table)).toEqual([]);

  const [first = "", ...others] = migrationNames;
  await write(table, [{ put: { ...keys.progress("migrations"), completed: others } }]);
  expect(await openMigrations(table)).toEqual([first]);
});

it("migrate lists the transactions of members once, and again those that a synchronization of an earlier version changed", async () => {
  const name = "members whose transactions are listed";
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: charge?.id, status: "needs_response" });
  await money.deliverAll();
  await migrated(money.table);
  const { pk } = keys.transaction(community.id, "payment", "");
  const listed = () => queryAll(money.table, { pk });
  const [dispute, payment, ...others] = (await listed()) as (Key & Item)[];
  expect([dispute, payment, others]).toMatchObject([{ type: "dispute" }, { type: "payment" }, []]);
  expect((await migrated(money.table)).changed[name]).toBe(0);

  if (!dispute || !payment) throw new Error("Not listed");
  await write(money.table, [{ delete: payment }, { put: { ...dispute, status: "lost" } }]);
  expect((await migrated(money.table, true)).changed[name]).toBe(1);
  expect(await listed()).toHaveLength(1);
  expect((await migrated(money.table)).changed[name]).toBe(1);
  // Only a synchronization has Stripe's links.
  expect(await listed()).toEqual([dispute, payment].map((item) => ({ ...item, receipt_url: null })));
  expect((await migrated(money.table)).changed[name]).toBe(0);
});

it("a dispute that ends while migrate lists it is listed as it ended", async () => {
  const community = await money.aPricedCommunity();
  const member = await money.aSubscriber(community);
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  await money.control("disputes", { charge: charge?.id, status: "needs_response" });
  await money.deliverAll();
  const { pk } = keys.transaction(community.id, "payment", "");
  const rows = (await queryAll(money.table, { pk })) as (Key & Item)[];
  await write(
    money.table,
    rows.map((row) => ({ delete: { pk: row.pk, sk: row.sk } })),
  );
  let isLost = false;
  const table: Writer = {
    ...money.table,
    async getAll(requested) {
      const found = await money.table.getAll(requested);
      if (!isLost && requested.some((key) => key.pk === pk)) {
        isLost = true;
        await money.control("disputes", { charge: charge?.id, status: "lost" });
        await money.deliverAll();
      }
      return found;
    },
  };
  await migrated(table);
  expect(isLost).toBe(true);
  const listed = await queryAll(money.table, { pk });
  expect(listed.map(({ type, status }) => [type, status])).toEqual([
    ["dispute", "lost"],
    ["payment", "succeeded"],
  ]);
});

it("a run that continues an interrupted one reads only the items after those, and the run after it reads all items", async () => {
  const community = await aCommunity(test.table);
  for (let n = 0; n < 260; n++) await aMember(test.table, community, { recorded_since: undefined });
  let pages = 0;
  const stopAt = (page: number) => () => {
    if (++pages === page) throw new Error("The connection is lost");
  };
  const options = { isDryRun: false, onProgress: stopAt(2) };
  await expect(migrate(test.table, options)).rejects.toThrow("The connection is lost");
  const left = { isDryRun: false, continues: true, onProgress: () => {} };
  const rest = await migrate(test.table, left);
  const whole = await migrate(test.table, left);
  expect(whole.read - rest.read).toBe(500);
  expect(whole.changed["past of members, from paid invoices"]).toBe(0);
  expect(await openMigrations(test.table)).toEqual([]);
});

it("a member that cannot be read is left out, and a run that continues reads it once it is corrected", async () => {
  const community = await aCommunity(own.table);
  const [malformed, other] = [
    await aMember(own.table, community, { recorded_since: undefined }),
    await aMember(own.table, community, { recorded_since: undefined }),
  ];
  const { pk, sk } = keyOf(malformed);
  const status = (value: string) => write(own.table, [{ update: { pk, sk }, set: { status: value }, when: "exists" }]);
  await status("Calle Mayor 5");
  await write(own.table, [{ delete: keys.progress("migrations") }]);
  const past = "past of members, from paid invoices";
  const { changed, leftOut } = await migrated(own.table);
  expect(leftOut).toEqual([`${pk} ${sk}: Member ${malformed.id} cannot be read: malformed status`]);
  expect(changed[past]).toBe(1);
  expect(await own.table.get(keyOf(other))).toHaveProperty("recorded_since");
  expect(await openMigrations(own.table)).toEqual(migrationNames);

  await status("active");
  const second = await migrate(own.table, { isDryRun: false, continues: true, onProgress: () => {} });
  expect(second).toMatchObject({ changed: { [past]: 1 }, leftOut: [] });
  expect(await openMigrations(own.table)).toEqual([]);
});
