import { create } from "stripe-stand-in/core/refunds";
import { beforeAll, expect, it } from "vitest";
import { begin, linkOf } from "#lib/billing/operations.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import type { Activity } from "#lib/domain/activity.ts";
import * as activity from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { ledgerOf } from "#lib/store/operations.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { write } from "#lib/store/write.ts";
import { handler as issueRefund } from "../../../functions/members/issue-refund.ts";
import { expectNothingOpen } from "../../support/money/checks.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

/** Created before all refunds, because a later join would wait until the events of all refunds are delivered. */
const members: StoredMember[] = [];
beforeAll(async () => {
  const community = await money.aPricedCommunity();
  while (members.length < 48) members.push(await money.aSubscriber(community));
});

function aSubscriber(): StoredMember {
  const member = members.pop();
  if (!member) throw new Error("There are more calls to crash at than members");
  return member;
}

/** Refunds one cent of the member's charge `count` times in Stripe's dashboard, without delivering the events. */
async function refundInDashboard(member: StoredMember, count: number): Promise<void> {
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  money.standIn.act((account) => {
    for (let n = 0; n < count; n++) create(account, { charge: charge?.id ?? "", amount: 1 });
  });
}

/** All audit entries of a member, newest first. */
async function entriesOf({ id }: StoredMember): Promise<Activity[]> {
  const entries: Activity[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await activity.listOfMember(money.table, id, {
      per: 100,
      cursor: cursor ?? undefined,
    });
    entries.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return entries;
}

/** The refunds in the list of the community's transactions. */
async function listedRefunds({ id, community_id }: StoredMember): Promise<number> {
  const { pk } = keys.transaction(community_id, "refund", "");
  const rows = await queryAll(money.table, { pk });
  return rows.filter(({ type, member_id }) => type === "refund" && member_id === id).length;
}

/** Fails unless the member's refunds, their sum, their list and one audit entry for each are what Stripe holds. */
async function expectOneEntryEach(member: StoredMember, count: number, cents: number): Promise<void> {
  const refunded = (await entriesOf(member)).filter(({ action }) => action === "refunded");
  const ids = refunded.map(({ after }) => String(after?.refund_id));
  const { refunds } = await ledgerOf(money.table, member.id);
  expect({
    entries: ids.length,
    different: new Set(ids).size,
    stored: refunds.length,
    listed: await listedRefunds(member),
  }).toEqual({
    listed: count,
    entries: count,
    different: count,
    stored: count,
  });
  expect(await money.memberNow(member)).toMatchObject({
    total_refunded_cents: cents,
    lifetime_spend_cents: 2500 - cents,
  });
}

it("issue_refund succeeds with 80 new refunds from the dashboard, and each refund has one audit entry", async () => {
  const member = aSubscriber();
  await refundInDashboard(member, 80);
  const body = { amount_cents: 500 };
  expect(await money.call(issueRefund, { ...forMember(member), body })).toMatchObject({ status: 201 });
  await expectOneEntryEach(member, 81, 580);
  await expectNothingOpen(money.table, member);
});

it("a synchronization of 70 refunds that crashes after any one of its calls is resumed without lost or duplicate audit entries", async () => {
  for (let n = 1; ; n++) {
    const member = aSubscriber();
    await refundInDashboard(member, 70);
    const crash = crashAt(n, "after");
    const request = { ...forMember(member), ...withKey(`facts-${n}`), body: { amount_cents: 500 } };
    const first = await money.withFault(crash.fault, () => money.call(issueRefund, request));
    const isOver = crash.calls < n;
    if (isOver) expect(first).toMatchObject({ status: 201 });
    expect(await money.call(issueRefund, request)).toMatchObject({ status: 201 });
    await expectOneEntryEach(member, 71, 570);
    await expectNothingOpen(money.table, member);
    if (isOver) return;
  }
});

it("two synchronizations of 70 refunds at the same time write one audit entry for each", async () => {
  const member = aSubscriber();
  await refundInDashboard(member, 70);
  const events = (await money.eventsSince(undefined)).filter(({ type }) => type === "refund.created").slice(-4);
  expect(await Promise.all(events.map(money.deliver))).toEqual([200, 200, 200, 200]);
  await expectOneEntryEach(member, 70, 70);
});

it("2,000 refunds are synchronized, and each has one audit entry", async () => {
  const member = aSubscriber();
  await refundInDashboard(member, 2000);
  const { data } = await money.stripe.events.list({ limit: 1, types: ["refund.created"] });
  expect(await Promise.all(data.map(money.deliver))).toEqual([200]);
  await expectOneEntryEach(member, 2000, 2000);
});

it("a refund whose operation begins while a synchronization reads Stripe is stored with its issuer", async () => {
  const member = aSubscriber();
  const [charge] = await money.chargesOf(member.stripe_customer_id);
  const request = {
    operationId: "op_meanwhile",
    fingerprint: null,
    actorId: 77,
    requestId: "r",
    begunAt: new Date(),
    isConditional: false,
  };
  const intent = {
    kind: "refund",
    charge_id: charge?.id ?? "",
    amount_cents: 5,
    reason: "duplicate",
    note: "n",
  } as const;
  const real = billingOf(async () => money.stripe)(() => 60_000);
  const context = { table: money.table, billing: real, now: new Date() };
  const refundMeanwhile = once(async () => {
    await begin(context, member, intent, request);
    money.standIn.act((account) => {
      create(account, { charge: intent.charge_id, amount: 5, metadata: { operation_id: request.operationId } });
    });
  });
  const billing: typeof real = async (ask, key) => {
    await refundMeanwhile();
    return real(ask, key);
  };
  const after = await syncMember({ ...context, billing }, linkOf(member));
  expect(after?.refunds).toMatchObject([{ amount_cents: 5, issued_by: 77, reason: "duplicate", note: "n" }]);
  expect((await entriesOf(member))[0]).toMatchObject({ action: "refunded", actor: { type: "user", id: 77 } });
  await expectNothingOpen(money.table, member);
});

/** Wraps an action that runs at the first call. All calls wait for it. */
function once(act: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= act());
}

it("audit entries of one transaction and of others in the same millisecond have different ids", async () => {
  const now = new Date();
  const runtime = { ...money.table.runtime, random: () => 0.5 };
  const entries = Array.from({ length: 60 }, () => ({ action: "edited", actor: activity.byStripe }) as const);
  const table = { ...money.table, runtime };
  const append = (count: number) =>
    write(table, activity.appendAuditEntries(table, { id: 77, community_id: 1 }, entries.slice(0, count), now));
  await append(60);
  await expect(append(1)).rejects.toThrow("A condition does not hold");
  await expect(
    write(
      table,
      entries.slice(0, 1).map((entry) => activity.appendAuditEntry(table, { id: 77, community_id: 1 }, entry, now)),
    ),
  ).rejects.toThrow("A condition does not hold");
  expect((await money.table.query({ pk: keys.activity(77, 0).pk })).items).toHaveLength(60);
});
