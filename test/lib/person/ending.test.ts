import { describe, expect, it } from "vitest";
import { memberChanges } from "#lib/events/member-changes.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import * as memberships from "#lib/store/members/memberships.ts";
import { queryAll } from "#lib/store/query-all.ts";
import { write } from "#lib/store/write.ts";
import { erasing } from "../../../functions/users/erase.ts";
import { addProfile } from "../../../tools/local/users.ts";
import { migrate } from "../../../tools/scripts/migrations.ts";
import { beforeWrite } from "../../support/before-write.ts";
import { aCommunity, aMember } from "../../support/given.ts";
import { startMoney } from "../../support/money.ts";

const money = startMoney();

/** A member with a profile and without a subscription in Stripe. */
async function anImportedMember(over: Partial<StoredMember> = {}): Promise<StoredMember> {
  const member = await aMember(money.table, await aCommunity(money.table), { monthly_cents: 2500, ...over });
  await addProfile(money.table, member.user);
  return member;
}

const aMemberUnknownToStripe = (over: Partial<StoredMember> = {}) =>
  anImportedMember({ stripe_customer_id: "cus_Elsewhere", stripe_subscription_id: "sub_Elsewhere", ...over });

const erase = ({ user }: StoredMember) =>
  money.call(erasing(money.outside), { params: { id: user.id }, body: { dry_run: false } });

const movementsOf = async ({ community_id, id }: StoredMember) => {
  const { pk, sk } = keys.movement(community_id, id, "", 0);
  return (await queryAll(money.table, { pk, prefix: sk.slice(0, -2) })).map(({ access, monthly }) => ({
    access,
    monthly,
  }));
};

const actionsOf = async ({ id }: StoredMember) =>
  (await queryAll(money.table, { pk: keys.activity(id, 0).pk, prefix: "ACTIVITY#" })).map(({ action }) => action);

const begun = { access: "begun", monthly: { before_cents: 0, after_cents: 2500, kind: "new" } };
const ended = { access: "ended", monthly: { before_cents: 2500, after_cents: 0, kind: "churned" } };

const typesBetween = (before: StoredMember, after: StoredMember) =>
  memberChanges(before, after).map(({ type }) => type);

describe("an erasure ends a membership without a Stripe subscription", () => {
  it.each(["active", "trialing", "past_due", "unpaid", "incomplete"] as const)(
    "an erased member who was %s is canceled, in the record, the membership and the index of statuses",
    async (status) => {
      const before = await anImportedMember({
        status,
        cancel_at_period_end: true,
        cancel_at: "2026-12-01T00:00:00.000Z",
      });
      expect((await erase(before)).status).toBe(200);

      const after = await money.memberNow(before);
      const scheduled = { cancel_at: null, cancel_at_period_end: false };
      expect(after).toMatchObject({ status: "canceled", monthly_cents: 0, ...scheduled });
      expect([after.ended_at, after.canceled_at]).toEqual([expect.any(String), expect.any(String)]);
      const { community_id, user, id } = before;
      const membership = await memberships.find(money.table, user.id, community_id);
      expect(membership).toMatchObject({ status: "canceled", ...scheduled });
      const item = await money.table.get(keys.member(community_id, id));
      expect(item?.status_pk).toMatch(/#STATUS#canceled$/);
    },
  );

  it("the mark of an erasure sends member.canceled, access.revoked and member.erased, in this order", async () => {
    const before = await anImportedMember();
    await erase(before);
    expect(typesBetween(before, await money.memberNow(before))).toEqual([
      "member.canceled",
      "access.revoked",
      "member.erased",
    ]);
  });

  it("an erasure records the end of the membership as a movement, and in the activity before its own entry", async () => {
    const member = await anImportedMember();
    await erase(member);
    expect(await movementsOf(member)).toEqual([begun, ended]);
    expect(await actionsOf(member)).toEqual(["canceled", "erased"]);
  });

  it("a subscription that ended at Stripe without an event before the erasure is recorded as ended", async () => {
    const member = await money.aSubscriber(await money.aPricedCommunity());
    await money.stripe.subscriptions.cancel(member.stripe_subscription_id ?? "");
    expect((await erase(member)).status).toBe(200);
    expect(await movementsOf(member)).toEqual([begun, ended]);
  });

  it("an erasure ends a membership whose customer and subscription are unknown to Stripe", async () => {
    const before = await aMemberUnknownToStripe();
    expect((await erase(before)).status).toBe(200);
    const after = await money.memberNow(before);
    expect(after).toMatchObject({ status: "canceled", ended_at: expect.any(String) as string, monthly_cents: 0 });
    const membership = await memberships.find(money.table, before.user.id, before.community_id);
    expect(membership).toMatchObject({ status: "canceled" });
    expect(await movementsOf(before)).toEqual([begun, ended]);
    expect(await actionsOf(before)).toEqual(["erased", "canceled"]);
  });

  it("an erasure does not change the end of a membership that has already ended", async () => {
    const ended_at = "2026-10-01T00:00:00.000Z";
    const member = await anImportedMember({ status: "canceled", ended_at, canceled_at: ended_at, monthly_cents: 0 });
    await erase(member);
    expect(await money.memberNow(member)).toMatchObject({ ended_at, canceled_at: ended_at });
    expect(await actionsOf(member)).toEqual(["erased"]);
  });
});

describe("the migration of members who were erased by an earlier version", () => {
  const name = "memberships of erased people, which end";
  const run = async (isDryRun = false) => {
    const { changed } = await migrate(money.table, { isDryRun, onProgress: () => {} });
    return changed[name];
  };
  /** A member whom an earlier version has erased but left active. */
  async function erasedEarlier(): Promise<StoredMember> {
    const erased_at = "2026-10-01T00:00:00.000Z";
    const member = await anImportedMember({ erased_at });
    await write(money.table, [
      { update: keys.membership(member.user.id, member.community_id), set: { erased_at }, when: "exists" },
    ]);
    return member;
  }

  it("the migration of erased members ends each membership once and changes nothing in a dry run", async () => {
    const before = await erasedEarlier();
    await run();
    const [member, other] = [await erasedEarlier(), await erasedEarlier()];
    expect(await run(true)).toBe(2);
    expect(await money.memberNow(member)).toEqual(member);
    expect(await run()).toBe(2);
    expect(await run()).toBe(0);
    for (const one of [before, member, other]) {
      const after = await money.memberNow(one);
      expect(after).toMatchObject({ status: "canceled", erased_at: one.erased_at, monthly_cents: 0 });
      expect(await memberships.find(money.table, one.user.id, one.community_id)).toMatchObject({ status: "canceled" });
      expect(typesBetween(one, after)).toEqual(["member.canceled", "access.revoked"]);
      expect(await movementsOf(one)).toEqual([begun, ended]);
      expect(await actionsOf(one)).toEqual(["canceled"]);
    }
  });

  it("the migration of erased members ends a membership that is unknown to Stripe once the erasure is completed", async () => {
    const member = await aMemberUnknownToStripe({ erased_at: "2026-10-01T00:00:00.000Z" });
    const key = keys.erasure(member.user.id);
    const erasure = { user_id: member.user.id, sub: null, actor_id: null, request_id: null, counts: {}, due_at: null };
    const begun_at = "2026-10-01T00:00:00.000Z";
    await write(money.table, [{ put: { ...key, ...erasure, begun_at, finished_at: null } }]);
    expect(await run()).toBe(0);
    await write(money.table, [{ update: key, set: { finished_at: begun_at }, when: "exists" }]);
    expect([await run(), await run()]).toEqual([1, 0]);
    expect(await money.memberNow(member)).toMatchObject({ status: "canceled" });
  });

  it("the migration of erased members retries if another writer has changed the member", async () => {
    const member = await erasedEarlier();
    const set = { version: member.version + 1 };
    const edit = () =>
      write(money.table, [{ update: keys.member(member.community_id, member.id), set, when: "exists" }]);
    const { changed } = await beforeWrite(money.client, edit, () =>
      migrate(money.table, { isDryRun: false, onProgress: () => {} }),
    );
    expect(changed[name]).toBe(1);
    expect(await money.memberNow(member)).toMatchObject({ status: "canceled", version: member.version + 2 });
  });
});
