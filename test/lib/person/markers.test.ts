import { isDeepStrictEqual } from "node:util";
import { zstdDecompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { sealingWith } from "#lib/delivery/sealing.ts";
import { workOn } from "#lib/delivery/work.ts";
import { compact } from "#lib/discovery/compaction.ts";
import type { ErasureAnswer } from "#lib/domain/erasure.ts";
import type { PersonalData } from "#lib/domain/personal-data.ts";
import { eventsFrom } from "#lib/events/from-record.ts";
import { memberChanges } from "#lib/events/member-changes.ts";
import type { Item } from "#lib/store/expression.ts";
import { type Key, kindOf } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import { personalAttributes } from "#lib/store/personal.ts";
import { handler as communityActivity } from "../../../functions/communities/activity.ts";
import { handler as exportMine } from "../../../functions/me/data.ts";
import { handler as activity } from "../../../functions/members/activity.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { handler as list } from "../../../functions/members/list.ts";
import { handler as paymentHistory } from "../../../functions/members/payment-history.ts";
import { handler as refundCharge } from "../../../functions/members/refund-charge.ts";
import { handler as show } from "../../../functions/members/show.ts";
import { handler as subscriptionDetails } from "../../../functions/members/subscription-details.ts";
import { handler as unblock } from "../../../functions/members/unblock.ts";
import { handler as uncancel } from "../../../functions/members/uncancel-subscription.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { handler as showMembership } from "../../../functions/membership/show.ts";
import { handler as exportData } from "../../../functions/users/data.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { fromNow } from "../../support/clock.ts";
import { aDestination } from "../../support/given.ts";
import { startLog } from "../../support/log.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { aMarkedPerson, itemsAt, type Marked, markersIn, sumsOf } from "../../support/money/marked.ts";
import { startMoney } from "../../support/money.ts";
import { memoryBucket } from "../../support/objects.ts";

const money = startMoney();
const log = startLog();

const inPath = ({ user }: Marked) => ({ params: { id: user.id } });
const exportOf = async (marked: Marked) => (await money.call(exportData, inPath(marked))).body as PersonalData;
const erase = (marked: Marked, dry_run = false) =>
  money.call(erasing(money.outside), { ...inPath(marked), body: { dry_run } });

/** A URL whose connections are refused. */
const nobody = "http://127.0.0.1:1/";
const sealing = sealingWith("a key");

let told = 0;
/** Delivers the events of a change of an item. */
async function deliver(before: Item | undefined, after: Item): Promise<void> {
  const { pk, sk } = after;
  if (isDeepStrictEqual(before, after)) return;
  const key = { pk: String(pk), sk: String(sk) };
  const record = { eventId: `change-${++told}`, key, at: new Date().toISOString(), before, after };
  const world = { table: money.table, sealing: async () => sealing, enqueue: async () => {} };
  for (const detail of eventsFrom(record, 0)) await workOn(JSON.stringify({ detail }), world);
}

/** What is in a snapshot: frames of zstd, each behind its length. */
function decompressed(stored: Buffer): Buffer {
  const frames: Buffer[] = [];
  for (let at = 0; at < stored.length; at += 4 + stored.readUInt32LE(at))
    frames.push(zstdDecompressSync(stored.subarray(at + 4, at + 4 + stored.readUInt32LE(at))));
  return Buffer.concat(frames);
}

/** What the routes about their members show of a person. No search finds them. */
async function shownOf({ members: places, markers }: Marked): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const member of places) {
    for (const endpoint of [show, activity, paymentHistory, subscriptionDetails])
      answers.push(await money.call(endpoint, forMember(member)));
    answers.push(await money.call(communityActivity, { params: { id: member.community_id } }));
    const params = { community_id: member.community_id };
    answers.push(await money.call(list, { params }));
    for (const marker of markers) {
      const { body } = await money.call(list, { params, query: `query=${marker}` });
      expect(body?.data).toEqual([]);
    }
  }
  return answers;
}

it("as soon as a person is marked as erased, no route about their members shows a marker, also if the erasure stops", async () => {
  const marked = await aMarkedPerson(money);
  const outside = { ...money.outside, record: () => Promise.reject(new Error("The bucket does not respond")) };
  const { status } = await money.call(erasing(outside), { ...inPath(marked), body: { dry_run: false } });
  expect(status).toBeGreaterThanOrEqual(500);
  expect(markersIn(marked, [await shownOf(marked), await exportOf(marked)])).toEqual([]);
});

describe("a person whose data contain forty markers", () => {
  let marked: Marked;
  let before: PersonalData;
  let dryRun: ErasureAnswer;
  let answered: { status: number | undefined; body: unknown };
  let recordsBefore: (StoredMember | undefined)[];
  let itemsBefore: Item[];
  const recordsNow = () =>
    Promise.all(marked.members.map((one) => members.find(money.table, one.community_id, one.id)));
  beforeAll(async () => {
    marked = await aMarkedPerson(money);
    before = await exportOf(marked);
    recordsBefore = await recordsNow();
    for (const { community_id } of marked.members)
      await aDestination(money.table, { id: community_id }, { url: nobody, sealing });
    itemsBefore = await itemsAt(money, new Date());
    for (const after of itemsBefore) await deliver(undefined, after);
    dryRun = (await erase(marked, true)).body as ErasureAnswer;
    log.clear();
    answered = await erase(marked);
  });

  it("the export of a person contains all forty markers", () => {
    expect(marked.markers).toHaveLength(40);
    expect(markersIn(marked, before)).toEqual(marked.markers);
  });

  it.each([
    { kind: "member", unmarked: ["imported"], elsewhere: ["refunds"] },
    { kind: "user", unmarked: ["sub"], elsewhere: [] },
  ] as const)("the personal attributes of a $kind are those with a marker", ({ kind, unmarked, elsewhere }) => {
    const items = itemsBefore.filter((item) => kindOf(item as Key) === kind);
    const holding = new Set(
      items.flatMap((item) => Object.keys(item).filter((name) => markersIn(marked, item[name]).length > 0)),
    );
    const personal = personalAttributes[kind].filter((name) => !(unmarked as readonly string[]).includes(name));
    expect(holding).toEqual(new Set([...personal, ...elsewhere]));
  });

  it("a dry run of an erasure counts the items and changes nothing", () => {
    expect(dryRun).toMatchObject({ erased: false, dry_run: true, blockers: [] });
    expect(dryRun.counts).toMatchObject({ user: 1, email: 1, member: 2, stripe_customer: 2, pool_account: 1 });
    expect(answered).toEqual({ status: 200, body: { ...dryRun, erased: true, dry_run: false } });
  });

  it("a repeated erasure and a later dry run return the same response", async () => {
    expect(await erase(marked)).toEqual(answered);
    expect((await erase(marked, true)).body).toEqual({ ...dryRun, erased: true });
  });

  it("an erasure deletes the account and the Stripe customers, and stores an object in its bucket", async () => {
    expect(money.deletedAccounts).toContain(marked.user.sub);
    expect(money.recorded).toContain(marked.user.id);
    for (const { stripe_customer_id } of before.memberships)
      expect(await money.stripe.customers.retrieve(stripe_customer_id ?? "")).toMatchObject({ deleted: true });
  });

  it("deliveries of events about an erased person are kept until they expire", async () => {
    const former = new Map(itemsBefore.map((item) => [`${String(item.pk)} ${String(item.sk)}`, item]));
    for (const item of await itemsAt(money, new Date()))
      await deliver(former.get(`${String(item.pk)} ${String(item.sk)}`), item);
    const kept = (await itemsAt(money, new Date())).filter(({ event_type }) => event_type !== undefined);
    const types = kept.map(({ event_type }) => String(event_type));
    expect(types).toEqual(expect.arrayContaining(["member.blocked", "member.canceled", "member.erased"]));
    expect(markersIn(marked, kept)).toEqual([]);
  });

  it("after an erasure no response contains a marker, and the export contains the kept data", async () => {
    const after = await exportOf(marked);
    expect(after.profile).toMatchObject({ username: "erased", email: "", first_name: "", last_name: "" });
    expect(after.profile?.erased_at).not.toBeNull();
    const answers = [after, ...(await shownOf(marked))];
    expect(markersIn(marked, answers)).toEqual([]);
    const [shown] = answers.slice(1) as { body: { user: unknown } }[];
    expect(shown?.body.user).toEqual({
      id: marked.user.id,
      username: "erased",
      email: "",
      first_name: "",
      last_name: "",
    });
  });

  it("an erasure changes no sum of payments or refunds", async () => {
    expect(sumsOf(await exportOf(marked))).toEqual(sumsOf(before));
    expect(before.memberships.every(({ total_refunded_cents }) => total_refunded_cents === 1000)).toBe(true);
  });

  it("no log line and no event contains a marker", async () => {
    expect(log.secrets(marked.markers)).toEqual([]);
    const after = await recordsNow();
    const events = after.flatMap((one, n) => (one ? memberChanges(recordsBefore[n], one) : []));
    expect(markersIn(marked, events)).toEqual([]);
  });

  it("an erased member cannot be changed, and stored responses are not returned", async () => {
    const [member] = marked.members;
    if (!member) throw new Error("There is no member");
    const refund = { amount_cents: 100 };
    const address = { ...before.memberships[0]?.shipping_address };
    const calls = [
      [update, { member: { metadata: { notes: "new" } } }],
      [update, { member: { shipping_address: address } }],
      [block, {}],
      [unblock, {}],
      [cancel, {}],
      [uncancel, {}],
      [issueRefund, refund],
      [refundCharge, { ...refund, charge_id: "ch_1" }],
    ] as const;
    for (const [endpoint, body] of calls) {
      const { status, body: answer } = await money.call(endpoint, { ...forMember(member), body });
      expect({ path: endpoint.route.path, status, code: answer?.code }).toEqual({
        path: endpoint.route.path,
        status: 409,
        code: "person_erased",
      });
    }
    const key = withKey(`${block.route.path} ${member.id}`);
    const reason = before.memberships.find(({ member_id }) => member_id === member.id)?.block_reason;
    expect(await money.call(block, { ...forMember(member), ...key, body: { reason } })).toMatchObject({
      status: 409,
      body: { code: "person_erased" },
    });
  });

  it("the token of an erased person is refused by every route that reads a profile or a membership", async () => {
    const [member] = marked.members;
    const params = { community_id: member?.community_id };
    const as = { id: marked.user.id };
    for (const answer of [
      await money.answer(exportMine, { as }),
      await money.answer(showMembership, { as, params }),
      await money.openCheckout(await money.aPricedCommunity(), as),
    ])
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });

  it("no directory snapshot contains a marker", async () => {
    const objects = memoryBucket();
    await compact(money.table, fromNow({ hours: 1 }), { objects, rows: 1, changes: () => 1 });
    const [stored = new Uint8Array()] = objects.stored.values();
    const image = decompressed(Buffer.from(stored)).toString("latin1").toLowerCase();
    expect(image).toContain("mezcal circle");
    expect(marked.markers.filter((marker) => image.includes(marker.toLowerCase()))).toEqual([]);
  });

  it("48 hours after an erasure no item contains a marker or the name of the account", async () => {
    const stored = await itemsAt(money, new Date());
    const holding = stored.filter((item) => markersIn(marked, item).length > 0);
    expect(new Set(holding.map(({ sk }) => sk))).toEqual(new Set(["REPLAY"]));

    await money.reconcile(fromNow({ hours: 2 }));
    const later = await itemsAt(money, fromNow({ hours: 48 }));
    expect(later.filter((item) => markersIn(marked, item).length > 0)).toEqual([]);
    expect(later.filter((item) => JSON.stringify(item).includes(marked.user.sub ?? ""))).toEqual([]);
  });
});
