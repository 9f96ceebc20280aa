import { describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as brands from "#lib/contract/brands.ts";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import * as tiers from "#lib/contract/tiers.ts";
import * as users from "#lib/contract/users.ts";
import { pick } from "#lib/pick.ts";
import { appendCommunityEntry } from "#lib/store/activity.ts";
import { keys } from "#lib/store/keys.ts";
import { write } from "#lib/store/write.ts";
import { addProfile } from "../../tools/local/users.ts";
import { type As, admin, editor, startApi } from "../support/api.ts";
import { everyPage } from "../support/every-page.ts";
import { aCommunity, aMember, anApiKey, aTeamMember, givenBy } from "../support/given.ts";
import { join } from "../support/joining.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const activityOf = (id: number, query: { per?: number; cursor?: string } = {}) =>
  call(communities.activity, { as: admin, params: { id }, query });

/** A user as an actor, whatever their name. */
const byUser = ({ id }: { readonly id: number }) => expect.objectContaining({ type: "user", id }) as unknown;

/** The newest entries of a community's activity, without their ids and times. */
async function newest(id: number, count: number) {
  const { body } = await activityOf(id, { per: count });
  return body.data.map((entry) => pick(entry, ["action", "record", "actor", "request_id", "before", "after"]));
}

describe("the activity of a community", () => {
  const community = setUp(() => aCommunity(api.table));
  const byOwner = () => ({
    actor: { type: "user", id: community.owner.id, name: "Olga Owner" },
    request_id: expect.stringMatching(/./) as unknown,
  });
  const edit = (body: object, as = community.owner) =>
    call(communities.update, { as, params: { id: community.id }, body: { community: body } });

  it("the activity of a community begins with an entry about its creation, with the actor and initial values", async () => {
    const given = { name: "Rye Society", slug: "rye-society", owner_id: community.owner.id };
    const { body, headers } = await call(communities.create, { as: admin, body: { community: given } });
    const { body: page } = await activityOf(body.id);
    expect(page).toEqual({
      has_more: false,
      next_cursor: null,
      data: [
        {
          id: expect.any(Number) as unknown,
          at: body.created_at,
          action: "created",
          record: { type: "community", id: body.id, name: given.name },
          actor: byUser(admin),
          request_id: headers.get("x-request-id"),
          before: null,
          after: { ...given, avatar_url: null, trending_pin: null, status: "active" },
        },
      ],
    });
  });

  it("the activity of a community shows the changed fields of an edit, before and after", async () => {
    const { body } = await edit({ name: "Another", slug: `another-${community.id}`, avatar_url: null });
    const [entry] = (await activityOf(community.id)).body.data;
    expect(entry).toMatchObject({ ...byOwner(), at: body.updated_at, action: "edited" });
    expect(entry?.record).toEqual({ type: "community", id: community.id, name: "Another" });
    expect(entry?.before).toEqual({ name: "Mezcal Circle", slug: expect.stringMatching(/^c-/) as unknown });
    expect(entry?.after).toEqual({ name: "Another", slug: `another-${community.id}` });
  });

  it("an edit that changes nothing adds no activity entry and does not change the record", async () => {
    await edit({ name: "The same" });
    const before = await activityOf(community.id);
    const first = await edit({ name: "The same" });
    const again = await edit({ name: "The same" });
    expect(again.body.updated_at).toBe(first.body.updated_at);
    expect((await activityOf(community.id)).body).toEqual(before.body);
  });

  it("the activity shows a change of the owner, and is hidden from the former owner", async () => {
    const old = await aCommunity(api.table);
    const next = (await aCommunity(api.table)).owner;
    const params = { id: old.id };
    const body = { community: { owner_id: next.id, status: "archived", name: "Handed over" } };
    await call(communities.update, { as: admin, params, body });
    expect((await call(communities.activity, { as: old.owner, params })).status).toBe(403);
    const { body: page } = await call(communities.activity, { as: next, params });
    expect(page.data[0]).toMatchObject({
      action: "transferred",
      before: { owner_id: old.owner.id, status: "active", name: "Mezcal Circle" },
      after: { owner_id: next.id, status: "archived", name: "Handed over" },
    });
  });

  it("the activity names the actor as the person is called now, by the username without other names, and not once erased", async () => {
    const of = await aCommunity(api.table);
    const manager = { id: (await aTeamMember(api.table, of, { role: "manager" })).user_id };
    const actors = async () => (await activityOf(of.id)).body.data.map(({ actor }) => actor);
    await call(communities.update, { as: manager, params: { id: of.id }, body: { community: { name: "Another" } } });
    expect((await actors())[0]).toEqual({ type: "user", id: manager.id, name: "Lea Team" });

    await write(api.table, [{ update: keys.user(manager.id), set: { first_name: "", last_name: "" }, when: "exists" }]);
    expect((await actors())[0]).toMatchObject({ name: `user${manager.id}` });

    expect((await call(users.erase, { as: admin, params: { id: manager.id }, body: { dry_run: false } })).status).toBe(
      200,
    );
    expect(await actors()).toContainEqual({ type: "user", id: manager.id, name: null });
    expect(JSON.stringify(await actors())).not.toMatch(/Lea|erased/);
  });

  it("the activity names each record as it is called now, and an erased person of the team not at all", async () => {
    const of = await aCommunity(api.table);
    const params = { community_id: of.id };
    const tier = { name: "Reserva", monthly_price_dollars: 25 };
    const { id } = (await call(tiers.create, { as: of.owner, params, body: { tier } })).body;
    await call(tiers.update, { as: of.owner, params: { id }, body: { tier: { name: "Gran Reserva" } } });
    const person = { id: 4_711_001, sub: null, username: "lea", email: "", first_name: "Lea", last_name: "Roe" };
    const at = new Date().toISOString();
    await write(api.table, [
      { put: { ...keys.user(person.id), ...person, created_at: at, updated_at: at } },
      appendCommunityEntry(
        api.table,
        of.id,
        { record: { type: "team_member", id: person.id }, action: "team_removed", before: null, after: null },
        givenBy(),
      ),
    ]);
    const names = async () => (await activityOf(of.id, { per: 3 })).body.data.map(({ record }) => record.name);
    expect(await names()).toEqual(["Lea Roe", "Gran Reserva", "Gran Reserva"]);
    await write(api.table, [{ update: keys.user(person.id), set: { erased_at: at }, when: "exists" }]);
    expect(await names()).toEqual([null, "Gran Reserva", "Gran Reserva"]);
  });

  it("the activity of a community shows every change of a tier, with its prices", async () => {
    const as = community.owner;
    const tier = { name: "Reserva", monthly_price_dollars: 25 };
    const of = { as, params: { community_id: community.id } };
    const { id, stripe_price_id } = (await call(tiers.create, { ...of, body: { tier } })).body;
    const params = { id };
    const patch = (body: object) => call(tiers.update, { as, params, body: { tier: body } });
    const { body: repriced } = await patch({ monthly_price_dollars: 30.5, name: "Reserva" });
    await patch({ monthly_price_dollars: 30.5 });
    await patch({ status: "archived", badge: "Old" });
    await patch({ status: "active" });
    await call(tiers.remove, { as, params });

    const record = { type: "tier", id, name: null };
    const whole = {
      badge: null,
      position: expect.any(Number) as unknown,
      trial_days: 0,
      requires_shipping_address: false,
      yearly_price_dollars: null,
      yearly_stripe_price_id: null,
    };
    const last = { monthly_price_dollars: 30.5, stripe_price_id: repriced.stripe_price_id };
    expect(await newest(community.id, 5)).toEqual([
      {
        ...byOwner(),
        record,
        action: "deleted",
        before: { ...whole, ...last, name: "Reserva", badge: "Old", status: "active" },
        after: null,
      },
      { ...byOwner(), record, action: "unarchived", before: { status: "archived" }, after: { status: "active" } },
      {
        ...byOwner(),
        record,
        action: "archived",
        before: { status: "active", badge: null },
        after: { status: "archived", badge: "Old" },
      },
      { ...byOwner(), record, action: "edited", before: { monthly_price_dollars: 25, stripe_price_id }, after: last },
      {
        ...byOwner(),
        record,
        action: "created",
        before: null,
        after: { ...whole, ...tier, stripe_price_id, status: "active" },
      },
    ]);
  });

  it("the activity of a community shows every change of a benefit, but no requests without effect", async () => {
    const as = community.owner;
    const tier_ids = [community.tier.id];
    const of = { as, params: { community_id: community.id } };
    const { id } = (await call(benefits.create, { ...of, body: { benefit: { name: "Tour", position: 3 } } })).body;
    const params = { id };
    const twice = async (ask: () => Promise<{ status: number }>) => {
      for (const _ of [1, 2]) expect((await ask()).status).toBe(200);
    };
    await twice(() =>
      call(benefits.update, { as, params, body: { benefit: { description: "On foot", position: 3 } } }),
    );
    await twice(() => call(benefits.assignToTiers, { as, params, body: { tier_ids } }));
    await twice(() => call(benefits.archive, { as, params, body: {} }));
    await twice(() => call(benefits.activate, { as, params, body: {} }));
    await call(benefits.remove, { as, params });

    const record = { type: "benefit", id, name: null };
    const last = { name: "Tour", description: "On foot", position: 3, tier_ids, status: "active" };
    expect(await newest(community.id, 6)).toEqual([
      { ...byOwner(), record, action: "deleted", before: last, after: null },
      { ...byOwner(), record, action: "unarchived", before: { status: "archived" }, after: { status: "active" } },
      { ...byOwner(), record, action: "archived", before: { status: "active" }, after: { status: "archived" } },
      { ...byOwner(), record, action: "edited", before: { tier_ids: [] }, after: { tier_ids } },
      { ...byOwner(), record, action: "edited", before: { description: "" }, after: { description: "On foot" } },
      { ...byOwner(), record, action: "created", before: null, after: { ...last, description: "", tier_ids: [] } },
    ]);
  });

  it("an import of members has one activity entry, however often the request is repeated, and none if it changes nothing", async () => {
    const of = await aCommunity(api.table);
    const person = (n: number) => ({
      user: { email: `p${n}-${of.id}@example.com` },
      tier_id: of.tier.id,
      status: "active",
      created_at: "2026-01-01T00:00:00.000Z",
      current_period_start: "2026-11-01T00:00:00.000Z",
      current_period_end: "2026-12-01T00:00:00.000Z",
    });
    const body = { members: [person(1), person(2), { tier_id: of.tier.id }] };
    const params = { community_id: of.id };
    const headers = { "idempotency-key": "once" };
    for (const _ of [1, 2])
      expect((await call(members.importBatch, { as: admin, params, body, headers })).status).toBe(200);
    await call(members.importBatch, { as: admin, params, body });

    const { data } = (await activityOf(of.id)).body;
    expect(data.filter(({ action }) => action === "members_imported")).toMatchObject([
      {
        record: { type: "community", id: of.id, name: "Mezcal Circle" },
        actor: { type: "user", id: admin.id },
        before: null,
        after: { records: 3 },
      },
    ]);
  });

  it("the activity of a community is paged by cursor, newest first, and rejects cursors of other lists", async () => {
    const of = await aCommunity(api.table);
    const names = ["One", "Two", "Three", "Four"];
    for (const name of names)
      await call(communities.update, { as: of.owner, params: { id: of.id }, body: { community: { name } } });
    const entries = await everyPage(
      async (cursor) => (await activityOf(of.id, { per: 2, ...(cursor && { cursor }) })).body,
    );
    expect(entries.map(({ after }) => after?.name)).toEqual([...names.toReversed(), "Barrel Owner", "Mezcal Circle"]);

    const { next_cursor } = (await activityOf(of.id, { per: 1 })).body;
    const elsewhere = await activityOf(community.id, { cursor: next_cursor ?? "" });
    expect(elsewhere.body).toMatchObject({ code: "invalid_cursor" });
  });
});

describe("the activity of a community about its members", () => {
  const community = setUp(() => aCommunity(api.table));
  const list = async (query: Record<string, string | number>, of = community) =>
    (await call(communities.activity, { as: of.owner, params: { id: of.id }, query })).body.data;
  const block = (id: number, as: As = community.owner) =>
    call(members.block, { as, params: { community_id: community.id, id }, body: { reason: "Spam" } });

  it("the activity of a community names the member, the person and the key of each action, and null once the person is erased", async () => {
    const member = await aMember(api.table, community, { status: "canceled" });
    await addProfile(api.table, member.user);
    const key = await anApiKey(api.table, community, { role: "support" });
    expect((await block(member.id)).status).toBe(200);
    const params = { community_id: community.id, id: member.id };
    const headers = { authorization: `Bearer ${key.key}` };
    expect((await call(members.unblock, { params, headers })).status).toBe(200);
    const record = { type: "member", id: member.id, name: "Ana Peña" };
    const { owner } = community;
    expect(await list({ per: 2 })).toMatchObject([
      { action: "unblocked", record, actor: { type: "api_key", id: key.id, name: "Warehouse" } },
      {
        action: "blocked",
        record,
        actor: { type: "user", id: owner.id, name: "Olga Owner" },
        after: { is_blocked: true, block_reason: "Spam" },
      },
    ]);
    expect(await list({ actor_id: key.id })).toMatchObject([{ action: "unblocked" }]);

    await call(users.erase, { as: admin, params: { id: member.user.id }, body: { dry_run: false } });
    const erased = await list({ type: "member", per: 3 });
    expect(erased.map(({ action }) => action)).toEqual(["erased", "unblocked", "blocked"]);
    expect(erased.map((entry) => [entry.record.name, entry.before, entry.after])).toEqual(
      erased.map(() => [null, null, null]),
    );
  });

  it("the activity of a community has what members did to their own membership, but not what Stripe did", async () => {
    const priced = await call(tiers.create, {
      as: community.owner,
      params: { community_id: community.id },
      body: { tier: { name: "Cask", monthly_price_dollars: 25 } },
    });
    const person = { id: 9_100 };
    const { id } = await join(api, person, { community_id: community.id, tier_id: priced.body.id });
    expect(await list({ type: "member" })).not.toContainEqual(
      expect.objectContaining({ record: expect.objectContaining({ id }) as unknown }),
    );
    await call(membership.cancelSubscription, { as: person, params: { community_id: community.id }, body: {} });
    expect(await list({ type: "member", actor_id: person.id })).toMatchObject([
      { action: "cancel_scheduled", record: { type: "member", id } },
    ]);
  });

  it("the activity of a community as CSV has the columns of its records and actors, on the same pages as the JSON", async () => {
    const of = await aCommunity(api.table);
    const member = await aMember(api.table, of);
    await call(members.block, { as: of.owner, params: { community_id: of.id, id: member.id }, body: { reason: "=1" } });
    const path = `/odis/v1/communities/${of.id}/activity?type=member&per=1`;
    const headers = { authorization: `Bearer ${await api.tokenOf(of.owner)}`, accept: "text/csv" };
    const response = await api.send(path, { headers });
    expect(response.headers.get("x-total-count")).toBeNull();
    const [header, row] = (await response.text()).split("\r\n");
    expect(header).toBe(
      "id,at,action,record_type,record_id,record_name,actor_type,actor_id,actor_name,request_id,before,after",
    );
    expect(row).toContain(`"blocked","member",${member.id},"Ana Peña","user",${of.owner.id},"Olga Owner"`);
  });

  it.each([
    ["actor_id", { actor_id: "ana" }, "wrong_type"],
    ["type", { type: "payment" }, "not_one_of"],
    ["from", { from: "2026-02-30" }, "invalid_format"],
    ["from", { from: "yesterday" }, "invalid_format"],
    ["to", { from: "2026-11-02", to: "2026-11-01" }, "conflicts"],
  ])(
    "a bad %s in a request for the activity is 422 with the name of the parameter: %j",
    async (parameter, query, code) => {
      const { status, body } = await call(communities.activity, {
        as: community.owner,
        params: { id: community.id },
        query,
      });
      expect([status, body]).toMatchObject([422, { errors: [{ parameter, code }] }]);
    },
  );
});

describe("the activity of a brand", () => {
  const [first, second] = ["6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7101", "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7102"] as const;

  it("the activity of a brand is shown under every linked producer until the brand is deleted", async () => {
    const at = { as: editor, params: { producer_id: first } };
    const { id } = (await call(brands.create, { ...at, body: { brand: { name: "Smoke" } } })).body;
    const params = { producer_id: first, id };
    const patch = (brand: object) => call(brands.update, { as: admin, params, body: { brand } });
    await patch({ name: "Smoke & Stone" });
    await patch({ name: "Smoke & Stone", producer_ids: [first] });
    await patch({ producer_ids: [second, first] });

    const activity = (producer_id: string) => call(brands.activity, { as: editor, params: { producer_id, id } });
    const { data } = (await activity(second)).body;
    expect(data.map((entry) => pick(entry, ["action", "actor", "before", "after"]))).toEqual([
      {
        action: "edited",
        actor: byUser(admin),
        before: { producer_ids: [first] },
        after: { producer_ids: [first, second] },
      },
      {
        action: "edited",
        actor: byUser(admin),
        before: { name: "Smoke" },
        after: { name: "Smoke & Stone" },
      },
      {
        action: "created",
        actor: byUser(editor),
        before: null,
        after: { name: "Smoke", producer_ids: [first] },
      },
    ]);
    await call(brands.remove, { as: editor, params });
    expect(await activity(first)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });
});
