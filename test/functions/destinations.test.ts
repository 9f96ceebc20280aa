import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as communityRoutes from "#lib/contract/communities.ts";
import * as routes from "#lib/contract/destinations.ts";
import { keys } from "#lib/store/keys.ts";
import { type As, admin, type Problem, startApi } from "../support/api.ts";
import { aCommunity, type GivenCommunity } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;
const url = "https://receiver.example/events";

const community = setUp(() => aCommunity(api.table));

type Given = { readonly url?: unknown; readonly events?: unknown; readonly description?: string };
const create = (place: GivenCommunity, given: Given = {}, headers: Record<string, string> = {}) =>
  call(routes.create, {
    params: { community_id: place.id },
    as: place.owner,
    body: { event_destination: { url, events: ["access.*"], ...given } },
    headers,
  });
const of = ({ id }: { id: number }, as: As = admin) => ({ params: { id }, as });
const edit = (destination: { id: number }, event_destination: object) =>
  call(routes.update, { ...of(destination), body: { event_destination } });
const activityOf = async (place: GivenCommunity) =>
  (await call(communityRoutes.activity, { params: { id: place.id }, as: place.owner })).body.data;

describe("creating an event destination", () => {
  it("the response to the creation of a destination has the secret, and no other response has it", async () => {
    const place = await aCommunity(api.table);
    const { status, body, headers } = await create(place, { description: "The door" });
    const { secret, ...shown } = body;
    expect([status, headers.get("location")]).toEqual([201, `/odis/v1/event_destinations/${body.id}`]);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(shown).toMatchObject({
      url,
      events: ["access.*"],
      description: "The door",
      status: "enabled",
      disabled_reason: null,
      secret_hint: secret.slice(-4),
      last_success_at: null,
      failing_since: null,
    });
    const again = await call(routes.show, of(body));
    expect(again.body).toEqual(shown);
    expect(again.headers.get("etag")).toBe(headers.get("etag"));
    expect(headers.get("etag")).toMatch(/^"[\w-]{22}\.[\w-]{22}"$/);
    const list = await call(routes.list, { params: { community_id: place.id }, as: place.owner });
    expect(list.body).toEqual({ total: 1, has_more: false, page: 1, per: 20, data: [shown] });
    expect(JSON.stringify(await activityOf(place))).not.toContain(secret);
  });

  it("a repeated creation of a destination returns the same secret, which the table holds only encrypted", async () => {
    const place = await aCommunity(api.table);
    const key = { "idempotency-key": randomUUID() };
    const first = await create(place, {}, key);
    const second = await create(place, {}, key);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    const stored = await api.table.get(keys.destination(place.id, first.body.id));
    expect(stored?.secret).not.toContain(first.body.secret.slice("whsec_".length));
  });

  it.each([
    ["http", "http://receiver.example/", "invalid_format"],
    ["another port", "https://receiver.example:444/", "invalid_format"],
    ["credentials", "https://me:secret@receiver.example/", "invalid_format"],
    ["a fragment", "https://receiver.example/#a", "invalid_format"],
    ["an empty fragment", "https://receiver.example/#", "invalid_format"],
    ["a loopback address", "https://127.0.0.1/", "invalid_format"],
    ["a loopback address of IPv6", "https://[::1]/", "invalid_format"],
    ["the address of a metadata service", "https://169.254.169.254/", "invalid_format"],
    ["a private address in another notation", "https://0xa010203/", "invalid_format"],
    ["a private address in IPv6", "https://[::ffff:10.1.2.3]/", "invalid_format"],
    ["the name of this machine", "https://localhost/", "invalid_format"],
    ["another scheme", "ftp://receiver.example/", "invalid_format"],
    ["no URL", "receiver", "invalid_format"],
    ["a URL that is too long once it is encoded", `https://receiver.example/${"日".repeat(1000)}`, "too_long"],
    ["a URL that is too long", `https://receiver.example/${"a".repeat(2048)}`, "too_long"],
    ["no text", 7, "wrong_type"],
  ])("a destination is refused if its URL has %s", async (_, given, code) => {
    const { status, body } = await create(community, { url: given });
    expect([status, (body as unknown as Problem).errors]).toMatchObject([
      422,
      [{ code, pointer: "/event_destination/url" }],
    ]);
  });

  it.each([
    [["member.flew"], "not_one_of"],
    [["brand.created"], "not_one_of"],
    [["member"], "not_one_of"],
    [["*.joined"], "not_one_of"],
    [[], "too_few"],
    [Array.from({ length: 51 }, () => "*"), "too_many"],
  ])("a destination with the events %j is refused", async (events, code) => {
    const { status, body } = await create(community, { events });
    expect([status, (body as unknown as Problem).errors?.[0]?.code]).toEqual([422, code]);
  });

  it("the URL of a destination is stored as it was sent, and its event types without duplicates", async () => {
    const { body } = await create(community, { url: "HTTPS://Receiver.Example:443/a b", events: ["*", "tier.*", "*"] });
    expect(body).toMatchObject({ url: "https://receiver.example/a%20b", events: ["*", "tier.*"] });
  });

  it("a community has at most ten event destinations, even if they are created at the same time", async () => {
    const place = await aCommunity(api.table);
    const answers = await Promise.all(Array.from({ length: 14 }, () => create(place)));
    // Requests that lost every conflict are retried.
    const later = await Promise.all(answers.filter(({ status }) => status === 503).map(() => create(place)));
    const { body } = await call(routes.list, { params: { community_id: place.id }, as: place.owner });
    expect(body.total).toBeLessThanOrEqual(10);
    const created = [...answers, ...later].filter(({ status }) => status === 201);
    expect(body.total).toBe(created.length);
    for (let n = body.total; n < 10; n++) expect((await create(place)).status).toBe(201);
    const { status, body: refused } = await create(place);
    expect([status, (refused as unknown as Problem).code]).toEqual([422, "limit_reached"]);
  });
});

describe("an event destination", () => {
  it("PATCH disables and enables an event destination, and each change has an activity entry", async () => {
    const place = await aCommunity(api.table);
    const { body } = await create(place);
    const off = await edit(body, { status: "disabled", description: "Off" });
    expect(off.body).toMatchObject({ status: "disabled", disabled_reason: null, description: "Off" });
    const on = await edit(body, { status: "enabled" });
    expect(on.body).toMatchObject({ status: "enabled" });
    await call(routes.remove, of(body));
    expect((await call(routes.show, of(body))).status).toBe(404);
    const entries = (await activityOf(place)).filter(({ record }) => record.type === "event_destination");
    expect(entries.map(({ action, record }) => [action, record])).toEqual([
      ["deleted", { type: "event_destination", id: body.id, name: null }],
      ["edited", { type: "event_destination", id: body.id, name: null }],
      ["edited", { type: "event_destination", id: body.id, name: null }],
      ["created", { type: "event_destination", id: body.id, name: null }],
    ]);
  });

  it("rotate_secret gives an event destination a new secret, which is returned once", async () => {
    const { body } = await create(await aCommunity(api.table));
    const rotated = await call(routes.rotateSecret, of(body));
    expect(rotated.body.secret).not.toBe(body.secret);
    expect(rotated.body.secret_hint).toBe(rotated.body.secret.slice(-4));
    expect((await call(routes.show, of(body))).body).toMatchObject({ secret_hint: rotated.body.secret_hint });
  });

  it.each([-1, 25, 1.5, "1"])("rotate_secret refuses overlap_hours %j", async (overlap_hours) => {
    const { body } = await create(await aCommunity(api.table));
    const answer = await call(routes.rotateSecret, { ...of(body), body: { overlap_hours } });
    expect([answer.status, (answer.body as unknown as Problem).errors]).toMatchObject([
      422,
      [{ pointer: "/overlap_hours" }],
    ]);
  });

  it("a disabled destination can be pinged, and a ping to a reserved address reports address_refused", async () => {
    const { body } = await create(await aCommunity(api.table), { url: "https://192.0.2.1:8443/" });
    await edit(body, { status: "disabled" });
    const pinged = await call(routes.ping, of(body));
    expect([pinged.status, pinged.body]).toEqual([
      200,
      { status_code: null, duration_ms: expect.any(Number), error: "address_refused" },
    ]);
    const { body: deliveries } = await call(routes.deliveries, of(body));
    expect(deliveries).toEqual({ has_more: false, next_cursor: null, data: [] });
  });

  it("a new event destination has no deliveries", async () => {
    const { body } = await create(await aCommunity(api.table));
    const answer = await call(routes.resend, { params: { id: body.id, delivery_id: 7 }, as: admin });
    expect([answer.status, (answer.body as unknown as Problem).code]).toEqual([404, "not_found"]);
  });

  it("a change of owner disables an event destination in the same transaction", async () => {
    const place = await aCommunity(api.table);
    const next = await aCommunity(api.table);
    const [first, second] = [(await create(place)).body, (await create(place)).body];
    await edit(second, { status: "disabled" });
    const { status } = await call(communityRoutes.update, {
      params: { id: place.id },
      as: admin,
      body: { community: { owner_id: next.owner.id } },
    });
    expect(status).toBe(200);
    const shown = async (destination: { id: number }) => (await call(routes.show, of(destination))).body;
    expect(await shown(first)).toMatchObject({ status: "disabled", disabled_reason: "owner_changed" });
    expect(await shown(second)).toMatchObject({ status: "disabled", disabled_reason: null });
    expect((await call(routes.show, of(first, place.owner))).status).toBe(403);
  });
});
