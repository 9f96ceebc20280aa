import { describe, expect, it } from "vitest";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { keys } from "#lib/store/keys.ts";
import { copyToMembers } from "#lib/store/members/profile-copies.ts";
import * as users from "#lib/store/users.ts";
import { write } from "#lib/store/write.ts";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, anAddress, aTier } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();

let next = 1;
const community = setUp(() => aCommunity(api.table));

/** A record of an import with all fields. */
function aRecord(over: Record<string, unknown> = {}) {
  const id = next++;
  return {
    id,
    user: { email: `Old${id}@example.com`, username: `old${id}`, first_name: "Zoë", last_name: `Before${id}` },
    tier_id: community.tier.id,
    status: "active",
    created_at: "2019-05-01T00:00:00.000Z",
    current_period_start: "2026-11-01T00:00:00.000Z",
    current_period_end: "2026-12-01T00:00:00.000Z",
    ...over,
  };
}

const refund = {
  refund_id: "re_1",
  charge_id: "ch_1",
  amount_cents: 1000,
  reason: "duplicate",
  status: "succeeded",
  note: null,
  issued_at: "2019-06-01T00:00:00.000Z",
  issued_by: 7,
};

const importing = (records: readonly unknown[], more: { in?: { id: number }; headers?: Record<string, string> } = {}) =>
  api.call(members.importBatch, {
    as: admin,
    params: { community_id: (more.in ?? community).id },
    body: { members: records },
    ...(more.headers && { headers: more.headers }),
  });

const outcomesOf = async (...asked: Parameters<typeof importing>) =>
  (await importing(...asked)).body.data.map(({ outcome, errors: [error] = [] }) =>
    error ? `${error.pointer} ${error.code}` : outcome,
  );

const show = (id: number, of = community) => api.call(members.show, { as: admin, params: { community_id: of.id, id } });

describe("an imported member", () => {
  it("an import accepts an address without a name, because Stripe may have such an address", async () => {
    expect(await outcomesOf([aRecord({ shipping_address: anAddress({ name: "" }) })])).toEqual(["created"]);
  });

  it("an imported member keeps all fields of the record and the old id", async () => {
    const record = aRecord({
      status: "canceled",
      canceled_at: "2026-11-02T10:00:00+02:00",
      ended_at: "2026-11-03T00:00:00.000Z",
      trial_start: "2019-05-01T00:00:00.000Z",
      trial_end: "2019-05-14T00:00:00.000Z",
      shipping_address: anAddress({ state: "OAX", phone: "+52 951 123 4567" }),
      is_blocked: true,
      blocked_at: "2020-01-01T00:00:00.000Z",
      blocked_by: 7,
      block_reason: "Resold bottles",
      lifetime_spend_cents: 5000,
      total_refunded_cents: 1000,
      refunds: [refund],
      metadata: { notes: "Came from the old shop", shirt: { size: "M" } },
    });
    expect(await outcomesOf([record])).toEqual(["created"]);
    const { tier_id, metadata, refunds, blocked_at, blocked_by, ...same } = record as Record<string, unknown>;
    const { body } = await show(record.id);
    expect(body).toMatchObject({ ...same, canceled_at: "2026-11-02T08:00:00.000Z", membership_tier: { id: tier_id } });
    expect(body.metadata).toMatchObject({ ...(metadata as object), refunds, blocked: true, blocked_at, blocked_by });
  });

  it("an imported member is found by search, listed by created_at, and has access", async () => {
    const other = await aCommunity(api.table);
    const years = ["2025-01-05", "2016-02-29", "2024-12-31", "2026-03-01"];
    const records = years.map((day) => {
      const { id: _, ...record } = aRecord({ tier_id: other.tier.id, created_at: `${day}T00:00:00.000Z` });
      return record;
    });
    const { body } = await importing(records, { in: other });
    const list = { as: admin, params: { community_id: other.id } };
    const listed = await api.call(members.list, { ...list, query: { sort: "created_at" } });
    expect(listed.body.data.map(({ created_at }) => created_at.slice(0, 10))).toEqual(years.toSorted());

    const found = await api.call(members.list, { ...list, query: { query: records[0]?.user.username ?? "" } });
    expect(found.body.data.map(({ id }) => id)).toEqual([body.data[0]?.id]);
    const own = await api.call(membership.show, { as: { id: found.body.data[0]?.user.id ?? 0 }, params: list.params });
    expect(own.body).toMatchObject({ is_member: true, access: { reason: "active" } });
  });

  it("imported members with the same created_at get ids in ascending order", async () => {
    const other = await aCommunity(api.table);
    const moment = (n: number) => `2026-03-0${1 + (n % 3)}T00:00:0${n % 10}.000Z`;
    const records = Array.from({ length: 25 }, (_, n) => {
      return { ...aRecord({ tier_id: other.tier.id, created_at: moment(n) }), id: undefined };
    });
    await importing(records, { in: other });
    const params = { community_id: other.id };
    const { body } = await api.call(members.list, { as: admin, params, query: { sort: "created_at", per: 100 } });
    const times = body.data.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted());
    expect(times.map((at) => at.slice(0, 10)).toSorted()).toEqual(
      records.map(({ created_at }) => created_at.slice(0, 10)).toSorted(),
    );
    expect(times.filter((at) => at > new Date().toISOString())).toEqual([]);
  });

  it("an imported member counts as a member, but not as a join", async () => {
    const other = await aCommunity(api.table);
    const records = Array.from({ length: 4 }, () => aRecord({ tier_id: other.tier.id }));
    await importing(records, { in: other });
    await api.settled(other.id);
    const { body } = await api.call(communities.stats, { as: admin, params: { community_id: other.id } });
    expect(body).toMatchObject({ total: 4, joined_in_30_days: 0 });
    const shown = await api.call(communities.show, { as: admin, params: { id: other.id } });
    expect(shown.body).toMatchObject({ member_count: 4, trending: false });
  });

  it("an imported member without a Stripe customer has no payments and no subscription", async () => {
    const record = aRecord();
    await importing([record]);
    const of = { as: admin, params: { community_id: community.id, id: record.id } };
    expect((await api.call(members.subscriptionDetails, of)).body).toMatchObject({ code: "no_subscription" });
    expect((await api.call(members.issueRefund, of)).body).toMatchObject({ code: "nothing_to_refund" });
    expect((await api.call(members.paymentHistory, of)).body.data).toEqual([]);
  });

  it("the tier of an imported member cannot be deleted", async () => {
    const tier = await aTier(api.table, community.id);
    await importing([aRecord({ tier_id: tier.id })]);
    const { body } = await api.call(tiers.remove, { as: admin, params: { id: tier.id } });
    expect(body).toMatchObject({ code: "tier_in_use" });
  });

  it("the activity of an imported member begins with the import", async () => {
    const record = aRecord();
    await importing([record]);
    const { body } = await api.call(members.activity, {
      as: admin,
      params: { community_id: community.id, id: record.id },
    });
    expect(body.data).toMatchObject([{ action: "imported", actor: { type: "user", id: admin.id } }]);
  });
});

describe("importing again", () => {
  it("importing a record again changes nothing, even if the member was edited since", async () => {
    const record = aRecord();
    expect(await outcomesOf([record])).toEqual(["created"]);
    expect(await outcomesOf([record])).toEqual(["unchanged"]);
    const params = { community_id: community.id, id: record.id };
    await api.call(members.update, { as: admin, params, body: { member: { metadata: { notes: "theirs" } } } });
    const before = await show(record.id);
    expect(await outcomesOf([record])).toEqual(["unchanged"]);
    expect((await show(record.id)).headers.get("etag")).toBe(before.headers.get("etag"));
  });

  it("importing a corrected record updates only members that were not changed since the import", async () => {
    const record = aRecord();
    await importing([record]);
    const corrected = { ...record, status: "canceled", ended_at: "2026-11-03T00:00:00.000Z" };
    expect(await outcomesOf([corrected])).toEqual(["updated"]);
    expect((await show(record.id)).body.status).toBe("canceled");
    expect(await outcomesOf([corrected])).toEqual(["unchanged"]);

    const params = { community_id: community.id, id: record.id };
    await api.call(members.block, { as: admin, params });
    expect(await outcomesOf([record])).toEqual(["/members/0 already_a_member"]);
  });

  it("an attribute that a later version has added to a member survives the import of a corrected record", async () => {
    const record = aRecord();
    await importing([record]);
    const update = keys.member(community.id, record.id);
    await write(api.table, [{ update, set: { nickname: "Nena" }, when: "exists" }]);
    expect(await outcomesOf([{ ...record, status: "canceled", ended_at: "2026-11-03T00:00:00.000Z" }])).toEqual([
      "updated",
    ]);
    expect(await api.table.get(update)).toMatchObject({ nickname: "Nena", status: "canceled" });
  });

  it("concurrent imports create each member once", async () => {
    const records = Array.from({ length: 25 }, () => {
      const { id: _, ...record } = aRecord({ metadata: { crowd: true } });
      return record;
    });
    const all = (await Promise.all(Array.from({ length: 4 }, () => outcomesOf(records)))).flat();
    expect(all.filter((outcome) => outcome === "created")).toHaveLength(25);
    expect(all.filter((outcome) => outcome === "unchanged")).toHaveLength(75);
    const { body } = await importing(records);
    expect(new Set(body.data.map(({ id }) => id)).size).toBe(25);
  });

  it("concurrent imports of records with ids refuse none of them, as two runs of one file", async () => {
    const records = Array.from({ length: 25 }, () => aRecord());
    const all = (await Promise.all(Array.from({ length: 3 }, () => outcomesOf(records)))).flat();
    expect(all.toSorted()).toEqual([...Array<string>(25).fill("created"), ...Array<string>(50).fill("unchanged")]);
  });

  it("of several records of one person in a request, the first valid one is imported and the others are refused", async () => {
    const { user, id: _, ...record } = aRecord();
    const { body } = await importing([{ ...record, user }]);
    const { id } = (await show(body.data[0]?.id ?? 0)).body.user;
    const records = [
      { ...record, user, status: "gone" },
      { ...record, user, created_at: "2999-01-01T00:00:00.000Z" },
      { ...record, user: { id }, status: "past_due" },
      { ...record, user: { email: user.email.toUpperCase() } },
      ...Array.from({ length: 10 }, (_each, n) => ({
        ...record,
        user: { email: n % 2 === 0 ? "new@example.com" : "New@Example.COM" },
        metadata: { n },
      })),
    ];
    const expected = [
      "/members/0/status not_one_of",
      "/members/1/created_at in_the_future",
      "updated",
      "/members/3/user duplicate",
      "created",
      ...Array.from({ length: 9 }, (_each, n) => `/members/${5 + n}/user duplicate`),
    ];
    expect(await outcomesOf(records)).toEqual(expected);
    expect(await outcomesOf(records)).toEqual(
      expected.map((outcome) => (["created", "updated"].includes(outcome) ? "unchanged" : outcome)),
    );
  });

  it("a member whose profile has changed since the import can still be imported again", async () => {
    const record = aRecord();
    const { body } = await importing([record]);
    const imported = (await show(body.data[0]?.id ?? 0)).body;
    const changed = { first_name: "Zora", updated_at: new Date().toISOString() };
    await write(api.table, [{ update: keys.user(imported.user.id), set: changed, when: "exists" }]);
    const user = await users.find(api.table, imported.user.id);
    if (!user) throw new Error("The profile is missing");
    await copyToMembers(api.table, user, new Date());
    expect(await outcomesOf([{ ...record, status: "past_due" }])).toEqual(["updated"]);
    expect((await show(imported.id)).body).toMatchObject({ status: "past_due", user: { first_name: "Zora" } });
  });

  it("an import matches a person of another community by email address", async () => {
    const other = await aCommunity(api.table);
    const { id: _, ...record } = aRecord();
    const here = await importing([record]);
    const there = await importing([{ ...record, tier_id: other.tier.id }], { in: other });
    const [one, two] = await Promise.all([show(here.body.data[0]?.id ?? 0), show(there.body.data[0]?.id ?? 0, other)]);
    expect(one.body.id).not.toBe(two.body.id);
    expect(one.body.user).toEqual(two.body.user);
  });
});

describe("a record that cannot be imported", () => {
  it("an invalid record is refused with the reason, and the others are imported", async () => {
    const taken = aRecord();
    await importing([taken]);
    const other = await aCommunity(api.table);
    const foreign = aRecord({ tier_id: other.tier.id });
    await importing([foreign], { in: other });
    const { user: _, ...nobody } = aRecord();
    const owner = { id: community.owner.id };

    const cases: readonly [unknown, string][] = [
      [nobody, "/user required"],
      [aRecord({ user: { first_name: "Zoë" } }), "/user required"],
      [aRecord({ user: { email: "no address" } }), "/user/email invalid_format"],
      [aRecord({ statsu: "active" }), "/statsu unknown_property"],
      [aRecord({ status: "gone" }), "/status not_one_of"],
      [aRecord({ created_at: "yesterday" }), "/created_at invalid_format"],
      [aRecord({ created_at: "2999-01-01T00:00:00.000Z" }), "/created_at in_the_future"],
      [aRecord({ current_period_end: "2020-01-01T00:00:00.000Z" }), "/current_period_end conflicts"],
      [aRecord({ metadata: { refunds: [] } }), "/metadata/refunds read_only"],
      [aRecord({ block_reason: "no block" }), "/is_blocked conflicts"],
      [aRecord({ stripe_subscription_id: "sub_1" }), "/stripe_customer_id required"],
      [aRecord({ tier_id: other.tier.id }), "/tier_id unknown_reference"],
      [aRecord({ id: taken.id }), "/id id_taken"],
      [aRecord({ id: foreign.id }), "/id id_taken"],
      [aRecord({ user: taken.user }), "/id other_member"],
      [aRecord({ user: { id: owner.id, email: taken.user.email } }), "/user/email other_user"],
      [aRecord({ user: { ...owner, email: "somebody@example.com" } }), "/user/id other_user"],
      [aRecord({ user: owner, is_blocked: true }), "/is_blocked cannot_block_owner"],
      [aRecord({ current_period_end: "9999-12-31T23:59:59-05:00" }), "/current_period_end invalid_format"],
      [aRecord({ refunds: [{ ...refund, issued_at: "2999-01-01T00:00:00Z" }] }), "/refunds/0/issued_at in_the_future"],
      [aRecord({ refunds: [{ ...refund, issued_at: "2026-02-30T00:00:00Z" }] }), "/refunds/0/issued_at invalid_format"],
      [aRecord({ refunds: [refund, { ...refund, amount_cents: -700 }] }), "/refunds/1/amount_cents too_small"],
      [aRecord({ refunds: [{ ...refund, note: "a \ud800" }] }), "/refunds/0/note invalid_format"],
      [aRecord({ lifetime_spend_cents: 10 ** 12 + 1 }), "/lifetime_spend_cents too_large"],
    ];
    const outcomes = await outcomesOf([...cases.map(([record]) => record), aRecord()]);
    expect(outcomes).toEqual([...cases.map(([, reason], index) => `/members/${index}${reason}`), "created"]);
  });

  it.each([
    ['{"metadata":{"constructor":"keep me"}}', "/metadata/constructor not_allowed"],
    ['{"metadata":{"n":{"":1}}}', "/metadata/n/ not_allowed"],
    ['{"metadata":{"n":[{"__proto__":1}]}}', "/metadata/n/0/__proto__ not_allowed"],
    ['{"constructor":1}', "/constructor unknown_property"],
    ['{"__proto__":1}', "/__proto__ unknown_property"],
  ])("of 25 records, only the invalid one is refused: %s", async (json, reason) => {
    const records = Array.from({ length: 25 }, (_, n) =>
      n === 7 ? { ...aRecord(), ...(JSON.parse(json) as object) } : aRecord(),
    );
    const outcomes = await outcomesOf(records);
    expect(outcomes).toEqual(records.map((_, n) => (n === 7 ? `/members/7${reason}` : "created")));
  });

  it.each([
    ["none", []],
    ["more than 25", Array.from({ length: 26 }, () => ({}))],
    ["what is no record", ["a name"]],
  ])("an import of %s is refused as a whole", async (_, records) => {
    expect((await importing(records)).body).toMatchObject({ code: "validation_failed" });
  });
});
