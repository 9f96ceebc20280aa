import { describe, expect, it } from "vitest";
import * as routes from "#lib/contract/members.ts";
import * as membership from "#lib/contract/membership.ts";
import { noAddress } from "#lib/values/address.ts";
import { admin, type Problem, startApi } from "../support/api.ts";
import { aCommunity, aMember, anAddress } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const community = setUp(() => aCommunity(api.table));

/** The parameters of one member's routes. */
const of = ({ id }: { id: number }) => ({ community_id: community.id, id });

describe("a member's record", () => {
  it("a member has the current names of its tier and community, and the read-only metadata", async () => {
    const member = await aMember(api.table, community, { custom: { shelf: "B2" }, notes: "Prefers reposado" });
    const { status, body, headers } = await call(routes.show, { params: of(member), as: community.owner });

    expect(status).toBe(200);
    expect(headers.get("etag")).toMatch(/^"[\w-]{22}\.[\w-]{22}"$/);
    expect(headers.get("cache-control")).toBe("private, no-cache");
    expect(body).toMatchObject({
      id: member.id,
      status: "active",
      shipping_address: noAddress,
      has_shipping_address: false,
      requires_shipping_address: false,
      total_refunded: 0,
      lifetime_spend_cents: 7_500,
      membership_tier: { id: community.tier.id, name: "Barrel Owner", monthly_price_dollars: 25 },
      community: { id: community.id, name: "Mezcal Circle" },
    });
    expect(body.metadata).toEqual({
      lifetime_spend_cents: 7_500,
      blocked: false,
      blocked_at: null,
      blocked_by: null,
      block_reason: null,
      refunds: [],
      notes: "Prefers reposado",
      shelf: "B2",
    });
  });

  it("a member has their access without the right of the owner, and the time at which it was first granted", async () => {
    const joined_at = "2026-08-03T09:31:00.000Z";
    const ending = "2027-01-03T09:30:00.000Z";
    const own = await aCommunity(api.table);
    const shown = async (over: Parameters<typeof aMember>[2]) => {
      const { id } = await aMember(api.table, own, over);
      return (await call(routes.show, { params: { community_id: own.id, id }, as: admin })).body;
    };
    expect(await shown({ first_granted_at: joined_at, cancel_at: ending })).toMatchObject({
      access: { granted: true, reason: "canceling", until: ending },
      joined_at,
    });
    expect(await shown({ status: "unpaid", user: own.owner })).toMatchObject({
      access: { granted: false, reason: "unpaid", until: null },
      joined_at: null,
    });
  });

  it("a response never has attributes that are not in the contract", async () => {
    const member = await aMember(api.table, community);
    const { body } = await call(routes.show, { params: of(member), as: community.owner });
    expect(Object.keys(body)).not.toContain("version");
    expect(JSON.stringify(body)).not.toContain("_pk");
  });
});

describe("editing a member", () => {
  const address = anAddress();

  it("PATCH of a member stores an address, and null clears it", async () => {
    const member = await aMember(api.table, community);
    const as = community.owner;
    const stored = await call(routes.update, {
      params: of(member),
      as,
      body: { member: { shipping_address: address } },
    });
    expect(stored.body).toMatchObject({ shipping_address: address, has_shipping_address: true });
    const cleared = await call(routes.update, { params: of(member), as, body: { member: { shipping_address: null } } });
    expect(cleared.body).toMatchObject({ shipping_address: noAddress, has_shipping_address: false });
  });

  it("PATCH of a member accepts the address that was read, even without a name, which Stripe would refuse", async () => {
    const nameless = { ...address, name: "" };
    const member = await aMember(api.table, community, {
      shipping_address: nameless,
      stripe_customer_id: "cus_nobody",
    });
    const edit = (shipping_address: typeof nameless) =>
      call(routes.update, { params: of(member), as: admin, body: { member: { shipping_address } } });
    expect(await edit(nameless)).toMatchObject({ status: 200, body: { shipping_address: nameless } });
    expect(await edit({ ...nameless, city: "Puebla" })).toMatchObject({
      status: 422,
      body: { code: "validation_failed", errors: [{ pointer: "/member/shipping_address/name", code: "too_short" }] },
    });
  });

  it("PATCH of a member merges metadata, removes keys with null and keeps the others", async () => {
    const member = await aMember(api.table, community, { custom: { shelf: "B2", size: { shirt: "M", hat: 7 } } });
    const metadata = { shelf: null, size: { hat: null }, since: 2019, notes: "Likes smoke" };
    const { body } = await call(routes.update, { params: of(member), as: admin, body: { member: { metadata } } });
    expect(body.metadata).toMatchObject({ size: { shirt: "M" }, since: 2019, notes: "Likes smoke" });
    expect(body.metadata).not.toHaveProperty("shelf");
    expect(body.metadata).not.toHaveProperty("size.hat");
  });

  it.each([
    ["a key of the interface", { metadata: { refunds: null } }, "/member/metadata/refunds", "read_only"],
    ["metadata that is null", { metadata: null }, "/member/metadata", "wrong_type"],
    ["too long a key", { metadata: { ["k".repeat(41)]: 1 } }, `/member/metadata/${"k".repeat(41)}`, "too_long"],
    ["too deep a value", { metadata: { a: [[[[[[1]]]]]] } }, "/member/metadata/a", "too_deep"],
    ["notes that are too long", { metadata: { notes: "n".repeat(5001) } }, "/member/metadata/notes", "too_long"],
    ["a lone surrogate", { metadata: { a: ["\ud800"] } }, "/member/metadata/a", "invalid_format"],
    ["too many bytes", { metadata: { a: "x".repeat(17_000) } }, "/member/metadata", "too_large"],
    [
      "a country that is none",
      { shipping_address: { ...address, country: "XX" } },
      "/member/shipping_address/country",
      "not_one_of",
    ],
    [
      "an address without a street",
      { shipping_address: { ...address, line1: "" } },
      "/member/shipping_address/line1",
      "too_short",
    ],
    [
      "an address whose street cannot be seen",
      { shipping_address: { ...address, line1: " " } },
      "/member/shipping_address/line1",
      "invalid_format",
    ],
    [
      "an address whose name cannot be seen",
      { shipping_address: { ...address, name: "\u00A0" } },
      "/member/shipping_address/name",
      "invalid_format",
    ],
    ["a property that nobody knows", { notes: "x" }, "/member/notes", "unknown_property"],
  ])("PATCH of a member with %s is refused with a pointer", async (_, member, pointer, code) => {
    const { id } = await aMember(api.table, community);
    const answer = await call(routes.update, { params: of({ id }), as: admin, body: { member } });
    expect(answer.status).toBe(422);
    expect((answer.body as unknown as Problem).errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  it("PATCH of a member with an outdated If-Match is refused", async () => {
    const member = await aMember(api.table, community);
    const { headers } = await call(routes.show, { params: of(member), as: admin });
    const edit = (notes: string, etag: string | null) =>
      call(routes.update, {
        params: of(member),
        as: admin,
        body: { member: { metadata: { notes } } },
        headers: { "if-match": etag ?? "" },
      });

    expect(await edit("first", headers.get("etag"))).toMatchObject({ status: 200 });
    expect(await edit("second", headers.get("etag"))).toMatchObject({ status: 412, body: { code: "stale_record" } });
    const { body } = await call(routes.show, { params: of(member), as: admin });
    expect(body.metadata.notes).toBe("first");
  });

  it("twenty concurrent edits of a member all take effect, and their times and audit entries are in the order of the writes", async () => {
    const request = { params: of(await aMember(api.table, community)), as: admin };
    const edits = Array.from({ length: 20 }, (_, n) =>
      call(routes.update, { ...request, body: { member: { metadata: { [`key${n}`]: n } } } }),
    );
    const answers = await Promise.all(edits);
    for (const { status } of answers) expect(status).toBe(200);
    const { body } = await call(routes.show, request);
    for (let n = 0; n < 20; n++) expect(body.metadata[`key${n}`]).toBe(n);

    // Each write adds a key, so the number of keys tells the order of the writes.
    const keysOf = ({ body: edited }: (typeof answers)[number]) => Object.keys(edited.metadata).length;
    const written = answers.toSorted((a, b) => keysOf(a) - keysOf(b));
    const times = written.map(({ body: edited }) => edited.updated_at);
    expect(times).toEqual([...new Set(times)].toSorted());
    const { body: activity } = await call(routes.activity, { ...request, query: { per: 100 } });
    expect(activity.data.toReversed().map(({ at, request_id }) => [at, request_id])).toEqual(
      written.map(({ headers }, n) => [times[n], headers.get("x-request-id")]),
    );
  });
});

describe("blocking a member", () => {
  const mine = (userId: number) =>
    call(membership.show, { params: { community_id: community.id }, as: { id: userId } });

  it("blocking a member ends access at once and is recorded, and unblocking restores access", async () => {
    const member = await aMember(api.table, community);
    expect((await mine(member.user.id)).body).toMatchObject({
      is_member: true,
      access: { granted: true, reason: "active", until: null },
    });

    const blocked = await call(routes.block, { params: of(member), as: community.owner, body: { reason: "Resale" } });
    expect(blocked).toMatchObject({
      status: 200,
      body: { is_blocked: true, block_reason: "Resale", status: "active" },
    });
    expect(blocked.body.metadata).toMatchObject({ blocked: true, blocked_by: community.owner.id });
    expect(blocked.body.metadata.blocked_at).toBe(blocked.body.updated_at);
    expect((await mine(member.user.id)).body).toMatchObject({
      is_member: false,
      access: { granted: false, reason: "blocked" },
      status: "active",
    });

    const unblocked = await call(routes.unblock, { params: of(member), as: community.owner });
    expect(unblocked.body).toMatchObject({ is_blocked: false, block_reason: null });
    expect(unblocked.body.metadata).toMatchObject({ blocked: false, blocked_at: null, blocked_by: null });
    expect((await mine(member.user.id)).body.access.granted).toBe(true);
  });

  it("blocking a blocked member again changes nothing", async () => {
    const member = await aMember(api.table, community);
    const first = await call(routes.block, { params: of(member), as: admin, body: { reason: "One" } });
    const second = await call(routes.block, { params: of(member), as: community.owner, body: { reason: "Two" } });
    expect(second.body).toEqual(first.body);
  });

  it("the community's owner cannot be blocked", async () => {
    const member = await aMember(api.table, community, { user: { id: community.owner.id } });
    expect(await call(routes.block, { params: of(member), as: admin })).toMatchObject({
      status: 409,
      body: { code: "cannot_block_owner" },
    });
    expect((await mine(community.owner.id)).body.access).toEqual({ granted: true, reason: "owner", until: null });
  });
});

it("the membership of a person who is not a member has the reason not_a_member", async () => {
  const { body } = await call(membership.show, { params: { community_id: community.id }, as: { id: 9 } });
  expect(body).toEqual({
    is_member: false,
    member_id: null,
    access: { granted: false, reason: "not_a_member", until: null },
    status: null,
    tier: null,
    benefits: [],
    current_period_end: null,
    cancel_at_period_end: false,
    cancel_at: null,
    interval: null,
    price_cents: null,
    scheduled_change: null,
  });
});
