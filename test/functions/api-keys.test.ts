import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { newApiKey } from "#lib/auth/api-key.ts";
import type { Endpoint } from "#lib/http/handler.ts";
import * as communities from "#lib/store/communities.ts";
import * as erasures from "#lib/store/erasures.ts";
import { keys } from "#lib/store/keys.ts";
import * as users from "#lib/store/users.ts";
import { handler as activity } from "../../functions/communities/activity.ts";
import { handler as showCommunity } from "../../functions/communities/show.ts";
import { handler as stats } from "../../functions/communities/stats.ts";
import { handler as updateCommunity } from "../../functions/communities/update.ts";
import { handler as create } from "../../functions/keys/create.ts";
import { handler as list } from "../../functions/keys/list.ts";
import { handler as remove } from "../../functions/keys/remove.ts";
import { handler as showMe } from "../../functions/me/show.ts";
import { handler as memberActivity } from "../../functions/members/activity.ts";
import { handler as block } from "../../functions/members/block.ts";
import { handler as importMembers } from "../../functions/members/import-batch.ts";
import { handler as showMember } from "../../functions/members/show.ts";
import { handler as health } from "../../functions/system/health.ts";
import { addProfile } from "../../tools/local/users.ts";
import { type As, admin } from "../support/api.ts";
import { beforeWrite } from "../support/before-write.ts";
import { counted } from "../support/counting.ts";
import { type Call, invoke, startTable } from "../support/direct.ts";
import { aCommunity, aMember, anApiKey, aTeamMember, type GivenCommunity, givenBy } from "../support/given.ts";

const test = startTable();
const now = new Date("2026-11-21T12:00:00.000Z");
const given = { now };
const at = (days: number, seconds = 0) => new Date(now.getTime() + (days * 24 * 60 * 60 + seconds) * 1000);
const year = 365;

const ask = (endpoint: Endpoint, call: Call, over = {}) => invoke(endpoint, test.platform(over), call);
const outcome = async (asking: ReturnType<typeof ask>) => {
  const { status, body } = await asking;
  return [status, body?.code];
};
const [ok, forbidden, missing, invalid] = [
  [200, undefined],
  [403, "forbidden"],
  [404, "not_found"],
  [401, "invalid_token"],
];

const bearing = (key: unknown) => ({ headers: { authorization: `Bearer ${String(key)}` } });
const inCommunity = ({ id }: { readonly id: number }) => ({ params: { community_id: id } });
const creating = (community: GivenCommunity, fields: object = {}, as: As = community.owner, over = {}) =>
  ask(create, { ...inCommunity(community), as, body: { api_key: { name: "Warehouse", ...fields } } }, over);
const revoking = (id: unknown, as: As) => ask(remove, { params: { id }, as });
const keysOf = async (community: GivenCommunity, over = {}) =>
  (await ask(list, { ...inCommunity(community), as: community.owner }, over)).body?.data as readonly {
    readonly id: number;
    readonly created_by: number | null;
    readonly last_used_at: string | null;
  }[];
const reading = ({ id }: { readonly id: number }, key: unknown, over = {}) =>
  ask(stats, { params: { community_id: id }, ...bearing(key) }, over);
const renaming = ({ id }: { readonly id: number }, key: unknown, over = {}) =>
  ask(updateCommunity, { params: { id }, ...bearing(key), body: { community: { name: "Rye" } } }, over);
const blocking = ({ id }: { readonly id: number }, memberId: number, key: unknown, headers = {}) =>
  ask(block, {
    params: { community_id: id, id: memberId },
    headers: { ...bearing(key).headers, ...headers },
    body: { reason: "Spam" },
  });
const transfer = async ({ id }: GivenCommunity, owner_id: number) =>
  communities.update(test.table, await communities.open(test.table, id), { owner_id }, givenBy(at(0, 1)));

describe("API keys of a community", () => {
  it("the owner creates a key, which only the response of the creation contains", async () => {
    const community = await aCommunity(test.table);
    const { status, headers, body } = await creating(community, { name: "  Warehouse ", role: "support" });
    expect([status, headers.location]).toEqual([201, `/odis/v1/api_keys/${String(body?.id)}`]);
    const { key, ...shown } = body ?? {};
    expect(key).toMatch(/^odis_local_[0-9A-Za-z]+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(shown).toEqual({
      id: body?.id,
      name: "Warehouse",
      role: "support",
      hint: String(key).slice(-4),
      created_by: community.owner.id,
      created_at: now.toISOString(),
      last_used_at: null,
      expires_at: at(year).toISOString(),
    });
    expect(await keysOf(community)).toEqual([shown]);
  });

  it("a key has the role viewer by default", async () => {
    expect((await creating(await aCommunity(test.table))).body).toMatchObject({ role: "viewer" });
  });

  it("the table contains neither a key nor its secret", async () => {
    const community = await aCommunity(test.table);
    const call = { ...inCommunity(community), as: community.owner, body: { api_key: { name: "Warehouse" } } };
    const { body } = await ask(create, { ...call, headers: { "idempotency-key": "once" } });
    await reading(community, body?.key);
    const { Items = [] } = await test.client.send(new ScanCommand({ TableName: test.name }));
    const [, , , secret = "?"] = String(body?.key).split("_");
    expect(secret).toHaveLength(43);
    expect(JSON.stringify(Items)).not.toContain(secret);
  });

  it("a retried creation with the same idempotency key gets the same key", async () => {
    const community = await aCommunity(test.table);
    const call = {
      ...inCommunity(community),
      as: community.owner,
      body: { api_key: { name: "Warehouse" } },
      headers: { "idempotency-key": "key" },
    };
    const [first, second] = [await ask(create, call), await ask(create, call)];
    expect([second.status, second.headers["idempotency-replayed"], second.body]).toEqual([201, "true", first.body]);
    expect(await outcome(reading(community, second.body?.key))).toEqual(ok);
    expect(await keysOf(community)).toHaveLength(1);
  });

  it("a creation that is retried after the key was revoked gets the revoked key", async () => {
    const community = await aCommunity(test.table);
    const body = { api_key: { name: "Warehouse" } };
    const call = { ...inCommunity(community), as: community.owner, body, headers: { "idempotency-key": "late" } };
    const first = await ask(create, call);
    await revoking(first.body?.id, community.owner);
    expect((await ask(create, call)).body).toEqual(first.body);
    expect(await outcome(reading(community, first.body?.key))).toEqual(invalid);
    expect(await keysOf(community)).toEqual([]);
  });

  it.each([
    ["in the past", at(0, -1)],
    ["now", now],
    ["more than a year ahead", at(year, 60)],
  ])("a key cannot expire %s", async (_, expires) => {
    const community = await aCommunity(test.table);
    const answer = await creating(community, { expires_at: expires.toISOString() });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: "/api_key/expires_at", code: "not_allowed" }] },
    });
  });

  it.each([
    [{ name: "" }, "/api_key/name"],
    [{ name: "n".repeat(121) }, "/api_key/name"],
    [{ role: "owner" }, "/api_key/role"],
    [{ expires_at: "tomorrow" }, "/api_key/expires_at"],
    [{ hint: "abcd" }, "/api_key/hint"],
  ])("POST api_keys refuses %j", async (fields, pointer) => {
    const answer = await creating(await aCommunity(test.table), fields);
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ pointer }] } });
  });

  it("a key is refused and no longer listed from the second at which it expires", async () => {
    const community = await aCommunity(test.table);
    const { body } = await creating(community, { expires_at: at(1, 0.7).toISOString() });
    expect(body?.expires_at).toBe(at(1).toISOString());
    const [before, after] = [{ now: () => at(1, -1) }, { now: () => at(1) }];
    expect(await outcome(reading(community, body?.key, before))).toEqual(ok);
    expect(await keysOf(community, before)).toHaveLength(1);
    expect(await outcome(reading(community, body?.key, after))).toEqual(invalid);
    expect(await keysOf(community, after)).toEqual([]);
  });

  it("a community has at most 20 valid keys, and revoked and expired ones do not count", async () => {
    const community = await aCommunity(test.table);
    await creating(community, { expires_at: at(0, 30).toISOString() });
    const first = await anApiKey(test.table, community, given);
    for (let n = 2; n < 20; n++) await anApiKey(test.table, community, { now: at(0, -n) });
    expect(await outcome(creating(community))).toEqual([422, "limit_reached"]);
    expect((await creating(community, {}, community.owner, { now: () => at(0, 60) })).status).toBe(201);
    expect(await outcome(creating(community, {}, community.owner, { now: () => at(0, 61) }))).toEqual([
      422,
      "limit_reached",
    ]);
    await revoking(first.id, community.owner);
    expect((await creating(community, {}, community.owner, { now: () => at(0, 62) })).status).toBe(201);
  });

  it("of two concurrent creations of the twentieth key, one is refused", async () => {
    const community = await aCommunity(test.table);
    for (let n = 1; n < 20; n++) await anApiKey(test.table, community, { now: at(0, -n) });
    const answers = await Promise.all([creating(community), creating(community)]);
    expect(answers.map(({ status }) => Number(status)).toSorted((a, b) => a - b)).toEqual([201, 422]);
    expect(await keysOf(community)).toHaveLength(20);
  });

  it("only the owner and admins manage keys, and for others a key does not exist", async () => {
    const community = await aCommunity(test.table);
    const manager = { id: (await aTeamMember(test.table, community, { ...given, role: "manager" })).user_id };
    const { owner } = await aCommunity(test.table);
    const { id } = await anApiKey(test.table, community, given);
    for (const as of [manager, owner]) {
      expect(await outcome(creating(community, {}, as))).toEqual(forbidden);
      expect(await outcome(ask(list, { ...inCommunity(community), as }))).toEqual(forbidden);
      expect(await outcome(revoking(id, as))).toEqual(missing);
    }
    expect((await revoking(id, admin)).status).toBe(204);
    expect(await outcome(revoking(id, community.owner))).toEqual(missing);
  });

  it("the activity of a community has the creation and the revocation of a key", async () => {
    const community = await aCommunity(test.table);
    const { body } = await creating(community);
    await revoking(body?.id, community.owner);
    const entries = (await ask(activity, { params: { id: community.id }, as: community.owner })).body?.data as object[];
    const record = { type: "api_key", id: body?.id, name: null };
    const state = { name: "Warehouse", role: "viewer", hint: body?.hint };
    const actor = { type: "user", id: community.owner.id, name: "Olga Owner" };
    const ofKey = entries.filter((entry) => (entry as { record: { type: string } }).record.type === "api_key");
    expect(ofKey).toHaveLength(2);
    expect(ofKey).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: "api_key_created", record, actor, before: null, after: state }),
        expect.objectContaining({ action: "api_key_revoked", record, actor, before: state, after: null }),
      ]),
    );
  });

  it("a key remains valid after its creator was erased, and no longer names them", async () => {
    const community = await aCommunity(test.table);
    const creator = { id: 8_100_001, groups: ["admin"] };
    await addProfile(test.table, { id: creator.id, username: "creator", first_name: "Ada", last_name: "Admin" });
    const { body } = await creating(community, {}, creator);
    expect(await keysOf(community)).toMatchObject([{ created_by: creator.id }]);
    const user = await users.find(test.table, creator.id);
    if (user) await erasures.begin(test.table, user, {}, undefined);
    expect(await keysOf(community)).toMatchObject([{ created_by: null }]);
    expect(await outcome(reading(community, body?.key))).toEqual(ok);
  });
});

describe("a request with an API key", () => {
  it("a key acts for its community as far as its role allows", async () => {
    const community = await aCommunity(test.table);
    const viewer = await anApiKey(test.table, community, given);
    const manager = await anApiKey(test.table, community, { ...given, role: "manager" });
    expect(await outcome(reading(community, viewer.key))).toEqual(ok);
    expect(await outcome(renaming(community, viewer.key))).toEqual(forbidden);
    expect(await outcome(renaming(community, manager.key))).toEqual(ok);
  });

  it("a key is refused on public routes, those of people, those of owners, and in other communities", async () => {
    const [community, other] = [await aCommunity(test.table), await aCommunity(test.table)];
    const { key } = await anApiKey(test.table, community, { ...given, role: "manager" });
    const call = { params: { id: community.id }, ...bearing(key) };
    for (const endpoint of [health, showCommunity, showMe])
      expect(await outcome(ask(endpoint, call))).toEqual(forbidden);
    expect(await outcome(ask(list, { ...inCommunity(community), ...bearing(key) }))).toEqual(forbidden);
    const refused = await reading(other, key);
    expect([refused.status, refused.body?.detail]).toEqual([
      403,
      "An API key is for those routes of its own community that its role allows. Call public routes without it",
    ]);
    expect(await outcome(reading({ id: 999_999 }, key))).toEqual(missing);
  });

  it.each([
    ["with the scheme in lower case", (key: string) => `bearer ${key}`],
    ["with the scheme in capitals", (key: string) => `BEARER ${key}`],
    ["after several spaces", (key: string) => `Bearer   ${key}`],
    ["within spaces", (key: string) => `  Bearer ${key} `],
  ])("a key %s is recognized on the routes of its role, and refused on a public one", async (_, headerOf) => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    const headers = { authorization: headerOf(key) };
    expect(await outcome(ask(stats, { params: { community_id: community.id }, headers }))).toEqual(ok);
    expect(await outcome(ask(showCommunity, { params: { id: community.id }, headers }))).toEqual(forbidden);
    expect(await outcome(ask(health, { headers }))).toEqual(forbidden);
  });

  it("a wrong, altered or unknown key gets 401, also where no community exists", async () => {
    const community = await aCommunity(test.table);
    const { id, key } = await anApiKey(test.table, community, given);
    const forged = newApiKey(id, test.table.runtime).key;
    const unknown = newApiKey(id + 1, test.table.runtime).key;
    for (const wrong of [forged, unknown, `${key}x`, key.slice(0, -1), "odis_", "odis_local"]) {
      expect(await outcome(reading(community, wrong))).toEqual(invalid);
      expect(await outcome(reading({ id: 999_999 }, wrong))).toEqual(invalid);
      const { headers } = await reading(community, wrong);
      expect(headers["www-authenticate"]).toContain('error="invalid_token"');
    }
    expect(await outcome(ask(showCommunity, { params: { id: community.id }, ...bearing(`${key}x`) }))).toEqual(invalid);
    expect(await keysOf(community)).toMatchObject([{ last_used_at: null }]);
  });

  it("a revoked key is refused with the next request", async () => {
    const community = await aCommunity(test.table);
    const { id, key } = await anApiKey(test.table, community, given);
    expect(await outcome(reading(community, key))).toEqual(ok);
    expect((await revoking(id, community.owner)).status).toBe(204);
    expect(await outcome(reading(community, key))).toEqual(invalid);
  });

  it("a change of owner ends the keys of a community, also after a change back, and they cannot be revoked", async () => {
    const community = await aCommunity(test.table);
    const { id, key } = await anApiKey(test.table, community, { ...given, role: "manager" });
    const next = (await aCommunity(test.table)).owner;
    await transfer(community, next.id);
    expect(await outcome(renaming(community, key))).toEqual(invalid);
    expect(await keysOf({ ...community, owner: next })).toEqual([]);
    expect(await outcome(revoking(id, next))).toEqual(missing);
    await transfer(community, community.owner.id);
    expect(await outcome(renaming(community, key))).toEqual(invalid);
    expect(await keysOf(community)).toEqual([]);
  });

  it("a restore ends the keys of a community", async () => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    expect(await outcome(reading(community, key, { epoch: 1 }))).toEqual(invalid);
    expect(await keysOf(community, { epoch: 1 })).toEqual([]);
  });

  it.each([
    ["is revoked", (community: GivenCommunity, id: number) => revoking(id, community.owner)],
    [
      "ends with a change of owner",
      async (community: GivenCommunity) => transfer(community, (await aCommunity(test.table)).owner.id),
    ],
  ])("a key that %s while a request is in progress writes nothing", async (_, end) => {
    const community = await aCommunity(test.table);
    const { id, key } = await anApiKey(test.table, community, { ...given, role: "manager" });
    await reading(community, key);
    const renamed = await beforeWrite(
      test.client,
      () => end(community, id),
      () => outcome(renaming(community, key)),
    );
    expect(renamed).toEqual(invalid);
    expect((await communities.open(test.table, community.id)).name).toBe("Mezcal Circle");
  });

  it("entries name the key as the actor, and fields with user ids are null", async () => {
    const community = await aCommunity(test.table);
    const member = await aMember(test.table, community);
    const { id, key } = await anApiKey(test.table, community, { ...given, role: "manager" });
    const { body } = await blocking(community, member.id, key);
    expect(body).toMatchObject({ is_blocked: true, metadata: { blocked_by: null } });
    await renaming(community, key);
    const actor = { type: "api_key", id, name: expect.stringMatching(/./) as unknown };
    const call = { params: { community_id: community.id, id: member.id }, ...bearing(key) };
    expect((await ask(memberActivity, call)).body?.data).toMatchObject([{ action: "blocked", actor }]);
    const ofCommunity = await ask(activity, { params: { id: community.id }, ...bearing(key) });
    expect(ofCommunity.body?.data).toContainEqual(expect.objectContaining({ action: "edited", actor }));
    expect(await test.table.get(keys.user(id))).toBeUndefined();
    const people = { members: [{ ...aRecord(community), user: { email: "new@example.com" } }] };
    const imported = await ask(importMembers, { ...inCommunity(community), ...bearing(key), body: people });
    expect(imported.body?.data).toMatchObject([{ outcome: "created" }]);
  });

  it("a key whose id is the id of a user is not that user", async () => {
    const community = await aCommunity(test.table);
    const { id, key } = await anApiKey(test.table, community, { ...given, role: "support" });
    const member = await aMember(test.table, community, { user: { id } });
    const call = { params: { community_id: community.id, id: member.id }, ...bearing(key) };
    expect(await outcome(ask(showMember, call))).toEqual(ok);
    const owned = await aCommunity(test.table, { owner_id: id });
    expect(await outcome(reading(owned, key))).toEqual(forbidden);
  });

  it("the idempotency keys of two API keys are independent, and a revoked key gets no stored response", async () => {
    const community = await aCommunity(test.table);
    const [first, second] = [
      await anApiKey(test.table, community, { ...given, role: "support" }),
      await anApiKey(test.table, community, { ...given, role: "support" }),
    ];
    const member = await aMember(test.table, community);
    const repeated = (key: string) => blocking(community, member.id, key, { "idempotency-key": "same" });
    expect((await repeated(first.key)).headers["idempotency-replayed"]).toBeUndefined();
    expect((await repeated(second.key)).headers["idempotency-replayed"]).toBeUndefined();
    expect((await repeated(first.key)).headers["idempotency-replayed"]).toBe("true");
    await revoking(first.id, community.owner);
    expect(await outcome(repeated(first.key))).toEqual(invalid);
  });

  it("the time of use is stored at most once an hour, and a failure to store it does not matter", async () => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    const usedAt = async () => (await keysOf(community))[0]?.last_used_at;
    const use = (minutes: number) => reading(community, key, { now: () => at(0, minutes * 60) });
    await use(1);
    expect(await usedAt()).toBe(at(0, 60).toISOString());
    await use(60);
    expect(await usedAt()).toBe(at(0, 60).toISOString());
    await use(61);
    expect(await usedAt()).toBe(at(0, 61 * 60).toISOString());
    test.client.middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) => {
          if (commandName.startsWith("Update")) throw new Error("No write");
          return next(args);
        },
      { step: "initialize", name: "no-update" },
    );
    expect(await outcome(use(600))).toEqual(ok);
    test.client.middlewareStack.remove("no-update");
  });
});

describe("the costs of a request with an API key", () => {
  it("a request with a key costs what one of a person in the team does, who may have been erased", async () => {
    const community = await aCommunity(test.table);
    const member = await aMember(test.table, community);
    const as = { id: (await aTeamMember(test.table, community, { ...given, role: "manager" })).user_id };
    const { key } = await anApiKey(test.table, community, { ...given, role: "manager" });
    const platform = test.platform();
    const count = counted(test.client);
    const params = { community_id: community.id, id: member.id };
    const costs = async (endpoint: Endpoint, call: Call) => {
      await invoke(endpoint, platform, call);
      const { roundTrips, units, writeUnits } = count.take();
      return { roundTrips, readUnits: units - writeUnits, writeUnits };
    };
    await costs(showMember, { params, ...bearing(key) });
    const read = { roundTrips: 1, readUnits: 3, writeUnits: 0 };
    // Reads whether the person was erased.
    expect(await costs(showMember, { params, as })).toEqual({ ...read, readUnits: read.readUnits + 1 });
    expect(await costs(showMember, { params, ...bearing(key) })).toEqual(read);
    const body = { reason: "Spam" };
    const ofPerson = await costs(block, { params, as, body });
    await invoke(block, platform, { params: { ...params }, as, body });
    const other = { ...params, id: (await aMember(test.table, community)).id };
    count.take();
    const ofKey = await costs(block, { params: other, ...bearing(key), body });
    expect({ ...ofKey, readUnits: ofKey.readUnits + 1 }).toEqual(ofPerson);
  });

  it("an execution environment that knows of a use within the hour writes nothing, also if another one has stored it", async () => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    const storing = test.platform();
    const other = test.platform({ now: () => at(0, 60) });
    const count = counted(test.client);
    const writes = async (platform: typeof storing) => {
      count.take();
      await invoke(stats, platform, { params: { community_id: community.id }, ...bearing(key) });
      return count.take().calls.filter((call) => call === "UpdateItem").length;
    };
    expect([await writes(storing), await writes(storing)]).toEqual([1, 0]);
    // The first request of an environment learns when the key was used.
    expect([await writes(other), await writes(other)]).toEqual([1, 0]);
  });

  it("the first request with a key in an hour has no further round trip", async () => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    const count = counted(test.client);
    await reading(community, key);
    const first = count.take();
    expect(first.calls).toContain("UpdateItem");
    await reading(community, key, { now: () => at(0, 1) });
    const second = count.take();
    expect(first.roundTrips).toBe(second.roundTrips);
  });

  it("a key with a wrong checksum is refused without a read", async () => {
    const community = await aCommunity(test.table);
    const { key } = await anApiKey(test.table, community, given);
    const count = counted(test.client);
    expect(await outcome(reading(community, `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`))).toEqual(invalid);
    expect(count.take().calls.filter((name) => name !== "Query")).toEqual([]);
  });
});

const aRecord = ({ tier }: GivenCommunity) => ({
  tier_id: tier.id,
  status: "active",
  created_at: "2020-01-01T00:00:00.000Z",
  current_period_start: "2026-11-01T00:00:00.000Z",
  current_period_end: "2026-12-01T00:00:00.000Z",
});
