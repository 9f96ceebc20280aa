import { describe, expect, it } from "vitest";
import { linkOf } from "#lib/billing/operations.ts";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";
import { syncMember } from "#lib/billing/sync.ts";
import { memberChanges } from "#lib/events/member-changes.ts";
import { listOfMember } from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as members from "#lib/store/members/members.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { handler as block } from "../../../functions/members/block.ts";
import { handler as cancel } from "../../../functions/members/cancel-subscription.ts";
import { handler as uncancel } from "../../../functions/members/uncancel-subscription.ts";
import { handler as update } from "../../../functions/members/update.ts";
import { admin } from "../../support/api.ts";
import { fromNow } from "../../support/clock.ts";
import { crashAt } from "../../support/money/faults.ts";
import { forMember, withKey } from "../../support/money/handlers.ts";
import { startMoney } from "../../support/money.ts";
import { setUp } from "../../support/set-up.ts";

const money = startMoney();

const community = setUp(() => money.aPricedCommunity());

const periodEnd = fromNow({ hours: 240 }).toISOString();
const afterPeriod = fromNow({ hours: 241 });
const pastPeriod = {
  current_period_start: "2020-01-01T00:00:00.000Z",
  current_period_end: "2020-02-01T00:00:00.000Z",
};

let nextId = 1000;

const recordOf = (over: object = {}) => {
  const id = nextId++;
  return { id, user: { email: `p${id}@example.com` }, status: "active", current_period_end: periodEnd, ...over };
};

/** A member who was imported without a customer in Stripe. */
async function anImported(over: object = {}): Promise<StoredMember> {
  const record = recordOf(over);
  expect(await money.importMember(community, record)).toMatchObject({ outcome: "created" });
  return find(record.id);
}

async function find(id: number): Promise<StoredMember> {
  const member = await members.find(money.table, community.id, id);
  if (!member) throw new Error(`Member ${id} was not imported`);
  return member;
}

const immediately = { body: { mode: "immediately" } };

const typesBetween = (before: StoredMember, after: StoredMember) =>
  memberChanges(before, after).map(({ type }) => type);

const newestEntry = async ({ id }: StoredMember) => (await listOfMember(money.table, id, { per: 1 })).data[0];

const movementsOf = async ({ id }: StoredMember) => {
  const { items } = await money.table.query({ pk: keys.movement(community.id, 0, "", 0).pk });
  return items.filter(({ member_id }) => member_id === id).map(({ access }) => access);
};

describe("a membership without a subscription in Stripe", () => {
  it("cancel_subscription with mode immediately ends an imported membership that was edited", async () => {
    const imported = await anImported();
    await money.call(update, { ...forMember(imported), body: { member: { metadata: { notes: "VIP" } } } });
    const before = await find(imported.id);
    const { status, body } = await money.call(cancel, { ...forMember(imported), ...immediately });
    expect({ status, body }).toMatchObject({ status: 200, body: { status: "canceled", cancel_at: null } });
    const after = await find(imported.id);
    expect(after).toMatchObject({ ended_at: expect.any(String), canceled_at: after.ended_at, notes: "VIP" });
    expect(typesBetween(before, after)).toEqual(["member.canceled", "access.revoked"]);
    expect(await movementsOf(after)).toEqual(["begun", "ended"]);
    expect(await memberships.find(money.table, after.user.id, community.id)).toMatchObject({ status: "canceled" });
    expect(await newestEntry(after)).toMatchObject({
      action: "canceled",
      actor: { type: "user", id: admin.id },
      before: { status: "active", ended_at: null },
      after: { status: "canceled", ended_at: after.ended_at },
    });
    expect(await money.call(cancel, forMember(imported))).toMatchObject({
      status: 409,
      body: { code: "subscription_already_canceled" },
    });
  });

  it("cancel_subscription at_period_end schedules the end, and the schedule ends the membership then", async () => {
    const before = await anImported();
    const { status, body } = await money.call(cancel, { ...forMember(before), body: {} });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: "active", cancel_at_period_end: true, cancel_at: periodEnd, canceled_at: expect.any(String) },
    });
    const scheduled = await find(before.id);
    expect(typesBetween(before, scheduled)).toEqual(["member.cancel_scheduled", "access.granted"]);
    expect(await newestEntry(before)).toMatchObject({ action: "cancel_scheduled", after: { cancel_at: periodEnd } });

    await money.reconcile();
    expect(await find(before.id)).toEqual(scheduled);
    await money.reconcile(afterPeriod);
    const ended = await find(before.id);
    expect(ended).toMatchObject({ status: "canceled", ended_at: periodEnd, cancel_at: null });
    expect(typesBetween(scheduled, ended)).toEqual(["member.canceled", "access.revoked"]);
    expect(await newestEntry(before)).toMatchObject({ action: "canceled", actor: { type: "system", id: null } });
  });

  it("repeating cancel_subscription at_period_end changes nothing; mode immediately then ends the membership", async () => {
    const { id, community_id } = await anImported();
    await money.call(cancel, { ...forMember({ id, community_id }), body: {} });
    const scheduled = await find(id);
    expect(await money.call(cancel, forMember(scheduled))).toMatchObject({ status: 200 });
    expect(await find(id)).toEqual(scheduled);
    expect(await money.call(cancel, { ...forMember(scheduled), ...immediately })).toMatchObject({ status: 200 });
    await money.reconcile(afterPeriod);
    expect(await find(id)).toMatchObject({ status: "canceled", canceled_at: scheduled.canceled_at });
  });

  it("uncancel_subscription withdraws the scheduled end, so that the schedule does not end the membership", async () => {
    const imported = await anImported();
    expect(await money.call(uncancel, forMember(imported))).toMatchObject({
      status: 409,
      body: { code: "not_scheduled_to_cancel" },
    });
    await money.call(cancel, forMember(imported));
    const scheduled = await find(imported.id);
    const { body } = await money.call(uncancel, forMember(imported));
    expect(body).toMatchObject({ cancel_at_period_end: false, cancel_at: null, canceled_at: null });
    expect(typesBetween(scheduled, await find(imported.id))).toEqual(["member.uncanceled", "access.granted"]);
    await money.reconcile(afterPeriod);
    expect(await find(imported.id)).toMatchObject({ status: "active" });
  });

  it("uncancel_subscription of a blocked member is rejected with member_blocked", async () => {
    const imported = await anImported();
    await money.call(cancel, forMember(imported));
    await money.call(block, forMember(imported));
    expect(await money.call(uncancel, forMember(imported))).toMatchObject({ body: { code: "member_blocked" } });
  });

  it("cancel_subscription with mode at_period_end is rejected with period_ended if the period has ended", async () => {
    const imported = await anImported(pastPeriod);
    const refused = { status: 409, body: { code: "period_ended" } };
    expect(await money.call(cancel, forMember(imported))).toMatchObject(refused);
    expect(await find(imported.id)).toEqual(imported);
    expect(await money.call(cancel, { ...forMember(imported), ...immediately })).toMatchObject({ status: 200 });
  });

  it("uncancel_subscription is rejected with period_ended once the scheduled end has passed", async () => {
    const imported = await anImported({ cancel_at: pastPeriod.current_period_end });
    const refused = { status: 409, body: { code: "period_ended" } };
    expect(await money.call(uncancel, forMember(imported))).toMatchObject(refused);
  });

  it.each([
    ["cancel_at", { cancel_at: periodEnd }],
    ["cancel_at_period_end alone", { cancel_at_period_end: true }],
  ])("the schedule ends a membership that was imported with %s", async (_, end) => {
    const imported = await anImported(end);
    await money.reconcile(afterPeriod);
    expect(await find(imported.id)).toMatchObject({ status: "canceled", ended_at: periodEnd });
  });

  it("importing a record again does not undo the end of the membership", async () => {
    const record = recordOf();
    await money.importMember(community, record);
    const imported = await find(record.id);
    await money.call(cancel, { ...forMember(imported), ...immediately });
    const ended = await find(record.id);
    expect(await money.importMember(community, record)).toMatchObject({ outcome: "unchanged" });
    expect(await money.importMember(community, { ...record, status: "trialing" })).toMatchObject({
      outcome: "refused",
      errors: [{ code: "already_a_member" }],
    });
    expect(await find(record.id)).toEqual(ended);
  });

  it("a retry of a cancellation that crashed after its write succeeds", async () => {
    for (let n = 1, isDone = false; !isDone; n++) {
      const imported = await anImported();
      const call = { ...forMember(imported), ...immediately, ...withKey(`leave-${n}`) };
      const crash = crashAt(n, "after");
      await money.withFault(crash.fault, () => money.call(cancel, call));
      isDone = crash.calls < n;
      const later = money.platform({ now: () => fromNow({ minutes: 5 }) });
      expect(await money.call(cancel, call, later)).toMatchObject({ status: 200, body: { status: "canceled" } });
      expect(await movementsOf(imported)).toEqual(["begun", "ended"]);
    }
  });

  it("a synchronization that read the member before their membership ended does not restore it", async () => {
    const { id: stripe_customer_id } = await money.stripe.customers.create({});
    const imported = await anImported({ stripe_customer_id });
    let isEnded = false;
    const billing: Billing = async (ask, key) => {
      if (!isEnded) {
        isEnded = true;
        expect(await money.call(cancel, { ...forMember(imported), ...immediately })).toMatchObject({ status: 200 });
      }
      return billingOf(async () => money.stripe)(() => 20_000)(ask, key);
    };
    await syncMember({ table: money.table, billing, now: new Date() }, linkOf(imported));
    expect(await find(imported.id)).toMatchObject({ status: "canceled", sync_version: 1 });
  });
});
