import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { billingOf } from "#lib/billing/stripe.ts";
import { movementBetween } from "#lib/domain/movement.ts";
import { consume } from "#lib/projections/consume.ts";
import { rebuild } from "#lib/projections/rebuild.ts";
import * as activity from "#lib/store/activity.ts";
import { type Key, keys, kindOf } from "#lib/store/keys.ts";
import { keyOf, type StoredMember, searchOf } from "#lib/store/members/item.ts";
import { list } from "#lib/store/members/list.ts";
import * as members from "#lib/store/members/members.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { type RestoreContext, restore } from "#lib/store/members/restore.ts";
import { bookkeepingNames, recordedState } from "#lib/store/members/restored.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { connect, type Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { createTable } from "../../../tools/local/dynamodb.ts";
import { deliver } from "../../../tools/local/streams/deliver.ts";
import { openStream } from "../../../tools/local/streams/reader.ts";
import { restoreMembers } from "../../../tools/scripts/restore-members.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { allItems, restore as putItems } from "../../support/copies.ts";
import { anAddress, type GivenCommunity } from "../../support/given.ts";
import { forMember } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney({ stream: true });

const read = new Map<string, string>();
/** Makes the projections count the new records of the table's stream. */
async function count(): Promise<void> {
  const stream = await openStream(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "", money.name);
  for (const shard of await stream.shards()) {
    const records = await stream.read(shard, read.get(shard));
    read.set(shard, records.at(-1)?.dynamodb.SequenceNumber ?? read.get(shard) ?? "");
    await deliver(records, async ({ Records }) => {
      const { failed } = await consume(money.table, Records, new Date());
      return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb.SequenceNumber })) };
    });
  }
}

/** Makes a copy of the table as it is now. */
async function copyOfTable(name: string): Promise<Writer> {
  await createTable(process.env.AWS_ENDPOINT_URL_DYNAMODB ?? "", name, { stream: false });
  await putItems(money.client, name, await allItems(money.client, money.name));
  return connect(money.client, name)();
}

const contextOf = (copy: Writer, over: Partial<RestoreContext> = {}) => ({
  table: money.table,
  copy,
  billing: billingOf(async () => money.stripe)(() => 60_000),
  isErased: () => false,
  overwritesEdits: false,
  isDryRun: false,
  ...over,
});

const edit = (member: StoredMember, changes: object) =>
  money.call(update, { ...forMember(member), body: { member: changes } });

/** Overwrites attributes of a member's item without any of the store's rules. */
const spoil = (member: StoredMember, set: object) =>
  write(money.table, [{ update: keyOf(member), set: set as never, when: "exists" }]);

const withoutBookkeeping = (member: StoredMember) =>
  Object.fromEntries(Object.entries(member).filter(([name]) => !bookkeepingNames.includes(name as never)));

type Corruption = (member: StoredMember) => Promise<unknown>;

const remove = (...removed: readonly Key[]) =>
  Promise.all(removed.map(({ pk, sk }) => write(money.table, [{ delete: { pk, sk } }])));

describe("thirty members who were corrupted in ten ways are restored from a copy", () => {
  let community: GivenCommunity;
  let otherTierId: number;
  let copy: Writer;
  const all: StoredMember[] = [];
  let good: Map<number, StoredMember>;
  let [edited, blocked, erased]: StoredMember[] = [];
  const corruptions: Record<string, Corruption> = {
    "a wrong tier": (member) => spoil(member, { tier_id: otherTierId }),
    "a lost address, lost notes and lost metadata": (member) =>
      spoil(member, { shipping_address: undefined, notes: undefined, custom: undefined }),
    "another readable status": (member) => spoil(member, { status: "canceled" }),
    "an unreadable status": (member) => spoil(member, { status: "gone" }),
    "a deleted item": (member) => remove(keyOf(member)),
    "a deleted membership": (member) => remove(keys.membership(member.user.id, member.community_id)),
    "deleted search items": (member) => remove(...searchOf(member)),
    "wrong index attributes and another name": (member) =>
      spoil(member, { status_pk: "x", tier_pk: "x", user: { ...member.user, first_name: "Nobody" } }),
    "a block that nobody has made, and another date of creation": (member) =>
      spoil(member, { is_blocked: true, blocked_pk: "x", created_at: "1999-01-01T00:00:00.000Z" }),
    "a deleted partition and profile": async (member) => {
      const items = await queryAll(money.table, { pk: keys.memberParent(member.id).pk });
      await remove(...(items as Key[]), keys.user(member.user.id), keys.customerOf(member.user.id, community.id));
    },
  };
  const ids = () => all.map(({ id }) => id);
  const run = async (over: Partial<RestoreContext> = {}) => {
    const lines: string[] = [];
    const isErased = (userId: number) => money.recorded.has(userId);
    const context = contextOf(copy, { isErased, ...over });
    const counts = await restoreMembers(context, ids(), { onProgress() {}, onLine: (line) => lines.push(line) });
    return { counts, lines: lines.toSorted() };
  };
  const versions = async () => Promise.all(all.map(async (member) => (await money.memberNow(member)).version));

  beforeAll(async () => {
    community = await money.aPricedCommunity();
    otherTierId = (await money.aPricedTier(community)).id;
    for (let n = 0; n < 20; n++) all.push(await money.aSubscriber(community));
    for (let n = 0; n < 10; n++) {
      const user = { email: `imported${n}@example.com`, first_name: "Ines", last_name: `Number ${n}` };
      const outcome = await money.importMember(community, {
        user,
        status: "active",
        current_period_end: "2099-01-01T00:00:00.000Z",
      });
      const member = await members.find(money.table, community.id, outcome?.id ?? 0);
      if (member) all.push(member);
    }
    for (const member of all)
      await edit(member, { shipping_address: anAddress(), metadata: { notes: "Prefers reposado", size: "M" } });
    copy = await copyOfTable("odis-copy");

    await money.control("advance", { days: 31 });
    await money.deliverAll();
    [edited, blocked, erased] = [all[0], all[5], all[29]];
    await edit(edited as StoredMember, { metadata: { notes: "Prefers blanco" } });
    await money.call(block, { ...forMember(blocked as StoredMember), body: { reason: "Resold bottles" } });
    const params = { id: (erased as StoredMember).user.id };
    await money.call(erasing(money.outside), { params, body: { dry_run: false } });
    good = new Map(await Promise.all(all.map(async (member) => [member.id, await money.memberNow(member)] as const)));
    await count();
    const ways = Object.values(corruptions);
    for (const [n, member] of all.entries())
      if (member !== erased) await ways[n % ways.length]?.(good.get(member.id) as StoredMember);
  });

  it("a dry run lists each difference with its values and changes nothing", async () => {
    const before = await allItems(money.client, money.name);
    const { counts, lines } = await run({ isDryRun: true });
    expect(counts).toEqual({ restored: 29, equal: 0, erased: 1, not_in_copy: 0, failed: 0 });
    expect(lines).toContain(`member ${all[23]?.id}: status: "gone" → "active"`);
    expect(lines).toContain(`member ${erased?.id}: erased, left alone`);
    expect(lines).toContain(`member ${edited?.id}: notes: kept, edited since the copy`);
    expect(await allItems(money.client, money.name)).toEqual(before);
  });

  it("a run restores every member to their state before the corruption, with later edits, blocks and renewals", async () => {
    const { counts } = await run();
    expect(counts).toMatchObject({ erased: 1, failed: 0 });
    expect(good.get(blocked?.id ?? 0)).toMatchObject({ is_blocked: true, block_reason: "Resold bottles" });
    for (const member of all) {
      const expected = good.get(member.id) as StoredMember;
      expect(withoutBookkeeping(await money.memberNow(member))).toEqual(withoutBookkeeping(expected));
    }
  });

  it("lists, searches, memberships and the schedule agree with the restored members", async () => {
    const { members: active } = await list(money.table, community.id, { per: 50, status: "active" });
    const { members: inTier } = await list(money.table, community.id, { per: 50, tier_id: community.tier.id });
    expect([active.length, inTier.length]).toEqual([29, 30]);
    for (const member of all) {
      const now = await money.memberNow(member);
      expect(await memberships.find(money.table, member.user.id, community.id)).toMatchObject({
        status: now.status,
        is_blocked: now.is_blocked,
      });
      if (member === erased) continue;
      expect(await money.table.getAll(searchOf(now).map(({ pk, sk }) => ({ pk, sk })))).toHaveLength(
        searchOf(now).length,
      );
      const { pk, sk } = keys.movement(community.id, member.id, "", 0);
      const movements = await queryAll(money.table, { pk, prefix: sk.slice(0, -2) });
      expect(movementBetween(recordedState(movements as never), now)).toBeUndefined();
    }
  });

  it("a rebuild finds nothing wrong after one that corrects the figures of the deleted members", async () => {
    await count();
    const context = { table: money.table, now: () => new Date(), pause: count };
    const wrong = await rebuild(context, community.id);
    expect(wrong.filter((line) => !/paid_cents|trend_score/.test(line))).toEqual([]);
    expect(await rebuild({ ...context, isDryRun: true }, community.id)).toEqual([]);
  });

  it("the activity of a restored member has an entry by the system with the reason", async () => {
    const { entries } = await activity.newestOfMember(money.table, all[22]?.id ?? 0, 1);
    expect(entries).toMatchObject([
      { action: "edited", actor: { type: "system" }, after: { changed: ["status"], reason: "restored_from_copy" } },
    ]);
  });

  it("another run changes nothing", async () => {
    const before = await versions();
    const { counts } = await run();
    expect(counts).toEqual({ restored: 0, equal: 29, erased: 1, not_in_copy: 0, failed: 0 });
    expect(await versions()).toEqual(before);
  });
});

describe("a restored member", () => {
  let member: StoredMember;
  let copy: Writer;
  let copies = 0;

  beforeEach(async () => {
    const community = await money.aPricedCommunity();
    member = await money.aSubscriber(community);
    await edit(member, { metadata: { notes: "Prefers reposado" } });
    copy = await copyOfTable(`odis-copy-${copies++}`);
  });

  it("restore overwrites a later edit only if it is told to", async () => {
    await edit(member, { metadata: { notes: "Prefers blanco" } });
    expect(await restore(contextOf(copy), member.id)).toMatchObject({ outcome: "equal", kept: ["notes"] });
    await restore(contextOf(copy, { overwritesEdits: true }), member.id);
    expect((await money.memberNow(member)).notes).toBe("Prefers reposado");
  });

  it("restore puts back the payments, refunds, disputes and subscriptions of a lost partition", async () => {
    const [charge] = await money.chargesOf(member.stripe_customer_id);
    await money.control("refund", { charge: charge?.id, amount: 100 });
    await money.control("disputes", { charge: charge?.id, status: "needs_response" });
    await money.deliverAll();
    const { pk } = keys.memberParent(member.id);
    const kinds = ["memberParent", "subscription", "payment", "refund", "dispute", "activity"];
    const stored = async () =>
      (await queryAll(money.table, { pk })).filter((item) => kinds.includes(kindOf(item as Key) ?? ""));
    const before = await stored();
    expect(new Set(before.map((item) => kindOf(item as Key)))).toEqual(new Set(kinds));
    copy = await copyOfTable(`odis-copy-${copies++}`);
    await remove(...(before as Key[]));
    expect(await stored()).toEqual([]);
    await restore(contextOf(copy), member.id);
    expect(await stored()).toEqual(expect.arrayContaining(before));
  });

  it("restore decides again if somebody edits the member between its read and its write", async () => {
    await spoil(member, { notes: "", custom: { size: "XXL" } });
    await beforeWrite(
      money.client,
      () => edit(member, { metadata: { notes: "Prefers añejo" } }),
      () => restore(contextOf(copy), member.id),
    );
    expect(await money.memberNow(member)).toMatchObject({ notes: "Prefers añejo", custom: {} });
  });

  it.each([
    ["an item of a member", () => keyOf(member)],
    ["a membership", () => keys.membership(member.user.id, member.community_id)],
    ["a profile", () => keys.user(member.user.id)],
  ])("restore leaves %s as it is if somebody puts it back meanwhile", async (_, key) => {
    const item = await money.table.get(key());
    if (!item) throw new Error("There is no item");
    await remove(key());
    await beforeWrite(
      money.client,
      () => write(money.table, [{ put: { ...item, ...key(), seen_by_app: "later" }, when: "absent" }]),
      () => restore(contextOf(copy), member.id),
    );
    expect(await money.table.get(key())).toMatchObject({ seen_by_app: "later" });
  });

  it("restore does not add a member whose person has been erased or who is not in the copy", async () => {
    await remove(keyOf(member));
    const isErased = (userId: number) => userId === member.user.id;
    expect(await restore(contextOf(copy, { isErased }), member.id)).toEqual({ outcome: "erased" });
    expect(await restore(contextOf(copy), 7)).toEqual({ outcome: "not_in_copy" });
    expect(await money.table.get(keyOf(member))).toBeUndefined();
  });

  it("restore refuses to block a member who has become the owner", async () => {
    await money.call(block, { ...forMember(member), body: {} });
    const later = await copyOfTable(`odis-copy-${copies++}`);
    await spoil(member, { is_blocked: false });
    await write(money.table, [
      { update: keys.community(member.community_id), set: { owner_id: member.user.id }, when: "exists" },
    ]);
    await expect(restore(contextOf(later), member.id)).rejects.toThrow("owner");
  });

  it("restore removes the search items of a name that the member does not have", async () => {
    const wrong = { ...member, user: { ...member.user, last_name: "Nobody" } };
    await spoil(member, { user: wrong.user });
    const [stray] = searchOf(wrong).filter(({ token }) => token === "nobody") as unknown as (Key & object)[];
    await write(money.table, [{ put: stray as never }]);
    await restore(contextOf(copy), member.id);
    expect(await money.table.get({ pk: stray?.pk ?? "", sk: stray?.sk ?? "" })).toBeUndefined();
  });
});
