import { beforeAll, describe, expect, it } from "vitest";
import * as brandRoutes from "#lib/contract/brands.ts";
import { createSession } from "#lib/contract/checkout.ts";
import * as communityRoutes from "#lib/contract/communities.ts";
import * as brands from "#lib/store/brands.ts";
import { keys } from "#lib/store/keys.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { admin, editor, pathOf, startApi } from "../support/api.ts";
import { aCommunity, aMember, type GivenCommunity, givenBy } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

let a: GivenCommunity;
let b: GivenCommunity;
let member: StoredMember;
beforeAll(async () => {
  [a, b] = [await aCommunity(api.table), await aCommunity(api.table)];
  member = await aMember(api.table, a);
  // Waits for the projections, because they also write to the community.
  await api.settled(a.id);
});

/** The stored items that the requests of this file could change. */
const stored = () => Promise.all([api.table.get(keys.member(a.id, member.id)), api.table.get(keys.community(a.id))]);

describe("records of another community", () => {
  it("a checkout of another community's tier is 422, and a filter by it finds nothing", async () => {
    const body = { tier_id: b.tier.id, success_url: api.origin, cancel_url: api.origin };
    const checkout = await api.call(createSession, { as: { id: 78 }, params: { community_id: a.id }, body });
    expect(checkout).toMatchObject({ status: 422, body: { code: "unknown_tier" } });
    for (const list of ["members", "benefits"]) {
      const path = `/odis/v1/communities/${a.id}/${list}?tier_id=${b.tier.id}`;
      expect(await send({ as: a.owner, path })).toMatchObject({ status: 200, body: { data: [] } });
    }
  });

  it.each<[string, string, Record<string, string>]>([
    ["GET", "if-none-match", { "if-none-match": "*" }],
    ["PATCH", "if-none-match", { "if-none-match": "*" }],
    ["PATCH", "if-match", { "if-match": '"guessed"' }],
    ["PATCH", "if-match *", { "if-match": "*" }],
  ])("%s with %s gives a stranger only 403, whether or not the member exists", async (method, _, headers) => {
    for (const id of [member.id, 4711]) {
      const path = `/odis/v1/communities/${a.id}/members/${id}`;
      const body = method === "PATCH" ? { member: { metadata: { notes: "x" } } } : undefined;
      expect(await send({ as: b.owner, method, path, headers, body })).toMatchObject({ status: 403 });
    }
  });
});

describe("fields that callers may not write", () => {
  it.each([{ uuid: "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0009" }, { member_count: 9 }, { trending: true }, { id: 1 }])(
    "writing %j of a community is 422 for its owner and for admins",
    async (change) => {
      const before = await stored();
      for (const as of [a.owner, admin]) {
        const path = pathOf(communityRoutes.update, { id: a.id });
        const answer = await send({ as, method: "PATCH", path, body: { community: change } });
        expect(answer).toMatchObject({ status: 422, errors: [{ code: "read_only" }] });
      }
      expect(await stored()).toEqual(before);
    },
  );

  it.each<[object, string]>([
    [{ status: "active" }, "read_only"],
    [{ is_blocked: false }, "read_only"],
    [{ user: { id: 1 } }, "read_only"],
    [{ tier_id: 1 }, "unknown_property"],
    [{ lifetime_spend_cents: 0 }, "read_only"],
    [{ metadata: { lifetime_spend_cents: 0 } }, "read_only"],
    [{ metadata: { blocked: false } }, "read_only"],
    [{ metadata: { blocked_at: null } }, "read_only"],
    [{ metadata: { blocked_by: 1 } }, "read_only"],
    [{ metadata: { block_reason: "" } }, "read_only"],
    [{ metadata: { refunds: [] } }, "read_only"],
  ])("writing %j of a member is 422 %s", async (change, code) => {
    const before = await stored();
    const path = `/odis/v1/communities/${a.id}/members/${member.id}`;
    const answer = await send({ as: a.owner, method: "PATCH", path, body: { member: change } });
    expect(answer).toMatchObject({ status: 422, errors: [{ code }] });
    expect(await stored()).toEqual(before);
  });

  it("metadata keys that resemble fields of the API are custom keys, and change nothing else", async () => {
    const custom = { Refunds: [{ amount_cents: 1 }], "blocked ": true, ｂｌｏｃｋｅｄ: true };
    const path = `/odis/v1/communities/${a.id}/members/${member.id}`;
    const answer = await send({ as: a.owner, method: "PATCH", path, body: { member: { metadata: custom } } });
    expect(answer).toMatchObject({
      status: 200,
      body: { is_blocked: false, metadata: { ...custom, refunds: [], blocked: false } },
    });
  });
});

describe("brands", () => {
  const [producer_id, other] = ["0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0010", "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0011"];
  let id: string;
  beforeAll(async () => {
    ({ id } = await brands.add(api.table, { name: "Smoke", producer_ids: [producer_id] }, givenBy()));
  });
  const body = { brand: { name: "Taken over" } };

  it("an editor finds a brand only under the producers that it is linked to", async () => {
    for (const route of [brandRoutes.show, brandRoutes.activity, brandRoutes.update, brandRoutes.remove]) {
      const { method } = route;
      const path = pathOf(route, { producer_id: other, id });
      const answer = await send({ as: editor, method, path, ...(method === "PATCH" && { body }) });
      expect({ method, ...answer }).toMatchObject({ method, status: 404, code: "not_found" });
    }
    const { body: shown } = await api.call(brandRoutes.show, { as: editor, params: { producer_id, id } });
    expect(shown).toMatchObject({ name: "Smoke", producer_ids: [producer_id] });
  });
});
