import { describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import * as tiers from "#lib/contract/tiers.ts";
import { admin, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, aTier } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const community = setUp(() => aCommunity(api.table));

describe("the ETag of a member with ten custom keys", () => {
  const custom = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`key ${n}`, { b: [{ d: n, c: n }], a: n }]));
  const given = async () => {
    const { id } = await aMember(api.table, community);
    const params = { community_id: community.id, id };
    const answer = await call(members.update, { as: admin, params, body: { member: { metadata: custom } } });
    return { params, etag: String(answer.headers.get("etag")) };
  };

  it("every response for an unchanged member has the same ETag and the same bytes", async () => {
    const { params, etag } = await given();
    const path = `/odis/v1/communities/${params.community_id}/members/${params.id}`;
    const headers = { authorization: `Bearer ${await api.tokenOf(admin)}` };
    const answers = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const answer = await api.send(path, { headers });
        return [answer.headers.get("etag"), await answer.text()];
      }),
    );
    expect(new Set(answers.map(([tag]) => tag))).toEqual(new Set([etag]));
    expect(new Set(answers.map(([, body]) => body)).size).toBe(1);
  });

  it("the ETag of a member changes with their access", async () => {
    const { params, etag } = await given();
    const { headers, body } = await call(members.block, { as: admin, params, body: {} });
    expect(body.access).toMatchObject({ granted: false, reason: "blocked" });
    expect(headers.get("etag")).not.toBe(etag);
  });

  it("PATCH with the current If-Match succeeds each time, and a matching If-None-Match gets 304", async () => {
    let { params, etag } = await given();
    for (let n = 0; n < 20; n++) {
      const body = { member: { metadata: { counter: n } } };
      const answer = await call(members.update, { as: admin, params, body, headers: { "if-match": etag } });
      expect(answer.status).toBe(200);
      etag = String(answer.headers.get("etag"));
      const shown = await call(members.show, { as: admin, params, headers: { "if-none-match": etag } });
      expect(shown.status).toBe(304);
    }
  });

  it("writing metadata back in another key order does not change the ETag of a member", async () => {
    const { params, etag } = await given();
    const reversed = Object.fromEntries(Object.entries(custom).toReversed());
    const answer = await call(members.update, { as: admin, params, body: { member: { metadata: reversed } } });
    expect(answer.headers.get("etag")).toBe(etag);
    const { body } = await call(members.activity, { as: admin, params });
    expect(body.data).toHaveLength(1);
  });
});

it("If-Match of a benefit ignores the names and order of its tiers and the name of its community", async () => {
  const place = await aCommunity(api.table);
  const another = await aTier(api.table, place.id, { position: 9 });
  const { id } = await aBenefit(api.table, place, { tier_ids: [place.tier.id, another.id] });
  const { headers } = await call(benefits.show, { as: admin, params: { id } });
  const etag = headers.get("etag") ?? "";
  const first = { params: { id: another.id }, body: { tier: { name: "First", position: 0 } } };
  expect((await call(tiers.update, { as: admin, ...first })).status).toBe(200);
  const renamed = { params: { id: place.id }, body: { community: { name: "Renamed" } } };
  expect((await call(communities.update, { as: admin, ...renamed })).status).toBe(200);

  const shown = await call(benefits.show, { as: admin, params: { id }, headers: { "if-none-match": etag } });
  expect(shown.body).toMatchObject({ tier_ids: [another.id, place.tier.id], community: { name: "Renamed" } });
  const edit = (benefit: object) =>
    call(benefits.update, { as: admin, params: { id }, headers: { "if-match": etag }, body: { benefit } });
  expect((await edit({ tier_ids: [another.id] })).status).toBe(200);
  expect((await edit({ description: "Late" })).status).toBe(412);
});

describe("the ETag of a community", () => {
  it("a cache gets the number of members and the trending mark of a community, which no If-Match compares", async () => {
    const joined = await aCommunity(api.table);
    const params = { id: joined.id };
    const before = await call(communities.show, { as: admin, params });
    for (let n = 0; n < 3; n++)
      await aMember(api.table, joined, { first_granted_at: new Date().toISOString(), status: "active" });
    await api.settled(joined.id);
    const after = await call(communities.show, { as: admin, params });
    expect([before.body.member_count, after.body.member_count]).toEqual([0, 3]);
    expect([before.body.trending, after.body.trending]).toEqual([false, true]);
    const etag = before.headers.get("etag") ?? "";
    expect((await call(communities.show, { as: admin, params, headers: { "if-none-match": etag } })).status).toBe(200);
    const edit = { as: admin, params, body: { community: { name: "Grown" } }, headers: { "if-match": etag } };
    expect((await call(communities.update, edit)).status).toBe(200);
  });

  it("a new name changes the ETag of a community", async () => {
    const params = { id: community.id };
    const before = await call(communities.show, { as: admin, params });
    const after = await call(communities.update, { as: admin, params, body: { community: { name: "Another" } } });
    expect(after.headers.get("etag")).not.toBe(before.headers.get("etag"));
  });
});
