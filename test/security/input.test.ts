import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { importBatch, list as listMembers } from "#lib/contract/members.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { admin, editor, startApi } from "../support/api.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";
import { rawRequests, sendBytes } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

let community: GivenCommunity;
let member: StoredMember;
let path: string;
beforeAll(async () => {
  community = await aCommunity(api.table);
  member = await aMember(api.table, community);
  path = `/odis/v1/communities/${community.id}/members/${member.id}`;
});

const producer = "/odis/v1/producers/0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0012/brands";
const explore = "/api/v1/communities/explore";
const patch = (body: string) => send({ as: community.owner, method: "PATCH", path, body });
const refund = (body: string) => send({ as: community.owner, method: "POST", path: `${path}/issue_refund`, body });

describe("deeply nested and wide bodies", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  it.each<[string, (value: string) => string]>([
    ["the body", (value) => value],
    ["the record", (value) => `{"member":${value}}`],
    ["the address", (value) => `{"member":{"shipping_address":${value}}}`],
    ["the metadata", (value) => `{"member":{"metadata":{"a":${value}}}}`],
  ])("arrays of 9,000 and 31,000 levels as %s are refused with a short response", async (_, bodyOf) => {
    for (const levels of [9_000, 31_000]) {
      const { status, body } = await patch(bodyOf(nested(levels)));
      expect([400, 422]).toContain(status);
      expect(JSON.stringify(body).length).toBeLessThan(1_000);
    }
  });

  it("6,000 unknown keys are refused", async () => {
    const keys = Array.from({ length: 6_000 }, (_, n) => `"${n}":1`).join();
    const { status, body } = await patch(`{"member":{${keys}}}`);
    expect(status).toBe(422);
    expect(JSON.stringify(body).length).toBeLessThan(1_000);
  });
});

describe("numbers that JSON or JavaScript cannot represent", () => {
  it.each(["1e400", "-1", "-0", "0", "1e-400", "1.5", "9007199254740993", '"5"', "[5]", "true", "null", "{}"])(
    "an amount of %s is 422",
    async (amount) => {
      const { status, errors } = await refund(`{"amount_cents":${amount}}`);
      expect(status).toBe(422);
      expect(new Set(errors?.map(({ pointer }) => pointer))).toEqual(new Set(["/amount_cents"]));
    },
  );

  it.each([
    ["1e400", "too_large"],
    ["9007199254740993", "too_large"],
    ["1e-200", "too_small"],
  ])("metadata with the number %s is 422 %s", async (number, code) => {
    const answer = await patch(`{"member":{"metadata":{"n":${number}}}}`);
    expect(answer).toMatchObject({ status: 422, errors: [{ pointer: "/member/metadata/n", code }] });
  });

  it.each(["-0", "1e-400"])("metadata with the number %s is stored as 0", async (number) => {
    const answer = await patch(`{"member":{"metadata":{"n":${number}}}}`);
    expect(answer).toMatchObject({ status: 200, body: { metadata: { n: 0 } } });
  });
});

it.each([
  ["U+FDFA, which folds to 18 characters", encodeURIComponent("\uFDFA".repeat(60))],
  ["sixty marks on one letter", encodeURIComponent(`q${"\u0301".repeat(60)}`)],
  ["bytes of a lone surrogate", "%ED%A0%80"],
  ["NUL", "%00"],
])("a search for %s finds no members, brands or communities", async (_, query) => {
  for (const list of [`/odis/v1/communities/${community.id}/members`, producer, explore]) {
    const answer = await send({ as: community.owner, path: `${list}?query=${query}` });
    expect({ list, ...answer }).toMatchObject({ list, status: 200, body: { data: [] } });
  }
});

describe("page numbers", () => {
  it.each(["1e3", "0x10", "+1", "%EF%BC%91", "99999999999999999999", "9007199254740992", "NaN", "1%00"])(
    "page=%s is 422",
    async (page) => {
      for (const list of [producer, explore]) {
        const answer = await send({ as: community.owner, path: `${list}?page=${page}` });
        expect({ list, ...answer }).toMatchObject({ list, status: 422, errors: [{ parameter: "page" }] });
      }
    },
  );

  it("page=2^53-1 returns an empty page past the end", async () => {
    for (const list of [producer, explore]) {
      const answer = await send({ as: community.owner, path: `${list}?page=9007199254740991` });
      expect(answer).toMatchObject({ status: 200, body: { data: [], has_more: false } });
    }
  });
});

describe("paths", () => {
  it.each([
    ["%FF", 400],
    ["%", 400],
    ["%00", 404],
    ["%2f", 404],
    ["1%2f..%2f2", 404],
    ["..", 404],
    ["../1", 404],
    ["%2e%2e", 404],
    [".", 404],
    ["1;a=b", 404],
    ["/1", 404],
    ["1/", 404],
    ["1%20", 404],
    ["%EF%BC%91", 404],
    ["0001", 404],
  ])("a community with the id %s is %d", async (id, status) => {
    const headers = { host: "127.0.0.1", authorization: `Bearer ${await api.tokenOf(admin)}` };
    expect(await sendBytes(api.stack.url, { path: `/odis/v1/communities/${id}`, headers })).toMatchObject({ status });
  });

  it.each(["/ODIS/v1/communities/1", "/odis/V1/communities/1", "//odis/v1/communities/1", "/odis//v1/communities/1"])(
    "the path %s is no route",
    async (other) => {
      const headers = { host: "127.0.0.1", authorization: `Bearer ${await api.tokenOf(admin)}` };
      const { status, body } = await sendBytes(api.stack.url, { path: other, headers });
      expect({ status, body }).toEqual({ status: 404, body: expect.stringContaining("route_not_found") as string });
    },
  );
});

describe("bodies that JSON parsers interpret differently", () => {
  it.each([
    ["with a byte order mark", '\uFEFF{"member":{}}'],
    ["of two documents", '{"member":{}}{"member":{}}'],
    ["with a comment", '{"member":{}/**/}'],
    ["with a trailing comma", '{"member":{},}'],
    ["with NaN", '{"member":{"metadata":{"a":NaN}}}'],
  ])("a body %s is malformed JSON", async (_, body) => {
    expect(await patch(body)).toMatchObject({ status: 400, code: "malformed_json" });
  });

  it("of two keys with the same name, the last one is used and validated", async () => {
    const last = await patch('{"member":{"metadata":{"blocked":true}},"member":{"metadata":{"k":"last"}}}');
    expect(last).toMatchObject({ status: 200, body: { is_blocked: false, metadata: { k: "last" } } });
    expect(await patch('{"member":{"metadata":{}},"member":{"metadata":{"blocked":true}}}')).toMatchObject({
      status: 422,
      errors: [{ code: "read_only" }],
    });
  });
});

it.each([
  [1_600, 422, "limit_reached"],
  [4_000, 413, "body_too_large"],
])("a brand with %d producers is %d", async (count, status, code) => {
  const producer_ids = Array.from({ length: count }, () => randomUUID());
  const answer = await send({
    as: editor,
    method: "POST",
    path: producer,
    body: { brand: { name: "Smoke", producer_ids } },
  });
  expect(answer).toMatchObject({ status, code });
});

it("imported markup and formulas are stored as they are, and exported as text", async () => {
  const params = { community_id: community.id };
  const period = "2026-11-01T00:00:00.000Z";
  const record = {
    user: { email: "mallory@example.com", first_name: "<script>alert(1)</script>", last_name: "=1+1" },
    tier_id: community.tier.id,
    status: "active",
    created_at: "2020-01-01T00:00:00.000Z",
    current_period_start: period,
    current_period_end: period,
  };
  await api.call(importBatch, { as: admin, params, body: { members: [record] } });
  const { body, headers } = await api.call(listMembers, { as: community.owner, params, query: { query: "mallory" } });
  const { first_name, last_name } = record.user;
  expect(body.data[0]?.user).toMatchObject({ first_name, last_name });
  expect(headers.get("content-type")).toMatch(/^application\/json/);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  const csv = await send({
    as: community.owner,
    path: `/odis/v1/communities/${community.id}/members?query=mallory`,
    headers: { accept: "text/csv" },
  });
  expect(csv.body).toContain(`"${first_name}","'${last_name}"`);
});
