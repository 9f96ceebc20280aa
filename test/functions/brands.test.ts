import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import * as routes from "#lib/contract/brands.ts";
import * as brands from "#lib/store/brands.ts";
import { editor, type Problem, startApi } from "../support/api.ts";
import { givenBy } from "../support/given.ts";

const api = startApi();
const { call } = api;

const anyone = { id: 50 };

const producers = (count: number) => Array.from({ length: count }, () => randomUUID()).toSorted();

const given = (name: string, producer_ids: readonly string[]) =>
  brands.add(api.table, { name, producer_ids: [...producer_ids] }, givenBy(new Date("2026-01-01T00:00:00.000Z")));

const create = (producer_id: string, brand: object) =>
  call(routes.create, { params: { producer_id }, as: editor, body: { brand } });

const change = (producer_id: string, id: string, brand: object, headers = {}) =>
  call(routes.update, { params: { producer_id, id }, as: editor, body: { brand }, headers });

const show = (producer_id: string, id: string) => call(routes.show, { params: { producer_id, id }, as: anyone });

const list = (producer_id: string, query: Record<string, string | number> = {}) =>
  call(routes.list, { params: { producer_id }, as: anyone, query });

/** A brand under a producer. Fails if list and show differ. */
async function seen(producer_id: string, id: string) {
  const [listed, shown] = await Promise.all([list(producer_id), show(producer_id, id)]);
  const found = listed.body.data.find((brand) => brand.id === id);
  expect(shown.status).toBe(found ? 200 : 404);
  if (found) expect(shown.body).toEqual(found);
  return found;
}

describe("creating a brand", () => {
  it("a new brand is linked to the producer in the path and to producer_ids, without duplicates", async () => {
    const [a = "", b = "", c = ""] = producers(3);
    const { status, body, headers } = await create(b, { name: "  Smoke & Stone ", producer_ids: [c, a, a] });

    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Smoke & Stone",
      producer_ids: [a, b, c],
      created_at: body.updated_at,
      updated_at: expect.any(String),
    });
    expect(headers.get("location")).toBe(`/odis/v1/producers/${b}/brands/${body.id}`);
    expect(headers.get("etag")).toBe((await show(b, body.id)).headers.get("etag"));
    for (const producer of [a, b, c]) expect(await seen(producer, body.id)).toEqual(body);
  });

  it.each([[{}], [{ producer_ids: [] }]])(
    "a new brand is only linked to the producer in the path with %j",
    async (more) => {
      const producer = randomUUID();
      expect((await create(producer, { name: "Alone", ...more })).body.producer_ids).toEqual([producer]);
    },
  );

  it("producer ids are accepted in either case and stored in lower case", async () => {
    const [a = "", b = ""] = producers(2);
    const { body, headers } = await create(a.toUpperCase(), { name: "Loud", producer_ids: [b.toUpperCase(), a] });
    expect(body.producer_ids).toEqual([a, b]);
    expect(headers.get("location")).toBe(`/odis/v1/producers/${a}/brands/${body.id}`);
    expect((await show(a.toUpperCase(), body.id.toUpperCase())).body).toEqual(body);
  });

  it.each([
    ["no name", {}, "/brand/name", "required"],
    ["an empty name", { name: " \n " }, "/brand/name", "too_short"],
    ["too long a name", { name: "n".repeat(121) }, "/brand/name", "too_long"],
    ["a lone surrogate", { name: "\ud800" }, "/brand/name", "invalid_format"],
    ["a producer that is no UUID", { name: "N", producer_ids: ["7"] }, "/brand/producer_ids/0", "invalid_format"],
    ["producers that are null", { name: "N", producer_ids: null }, "/brand/producer_ids", "wrong_type"],
    ["a property that nobody knows", { name: "N", slug: "n" }, "/brand/slug", "unknown_property"],
  ])("a new brand is refused with %s", async (_, brand, pointer, code) => {
    const answer = await create(randomUUID(), brand);
    expect(answer.status).toBe(422);
    expect(problemOf(answer).errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  it("a brand can have a name of 120 characters, even with many bytes per character", async () => {
    const producer = randomUUID();
    const { body } = await create(producer, { name: "🥃".repeat(120) });
    expect(await seen(producer, body.id)).toEqual(body);
  });
});

it("GET of a brand with its current ETag in If-None-Match is 304", async () => {
  const producer = randomUUID();
  const { id } = await given("Known", [producer]);
  const etag = (await show(producer, id)).headers.get("etag") ?? "";
  const again = await call(routes.show, {
    params: { producer_id: producer, id },
    as: anyone,
    headers: { "if-none-match": etag },
  });
  expect(again).toMatchObject({ status: 304, body: "" });
});

describe("changing a brand", () => {
  it("PATCH of a brand renames it under every producer and keeps its links", async () => {
    const linked = producers(3);
    const { id, created_at } = await given("Before", linked);
    const { body } = await change(linked[1] ?? "", id, { name: " After " });
    expect(body).toMatchObject({ name: "After", producer_ids: linked, created_at });
    expect(body.updated_at > created_at).toBe(true);
    for (const producer of linked) expect(await seen(producer, id)).toEqual(body);
  });

  it("PATCH of a brand replaces its links, and can unlink the producer in the path", async () => {
    const [a = "", b = "", c = ""] = producers(3);
    const { id } = await given("Wanderer", [a, b]);
    const { status, body } = await change(a, id, { producer_ids: [c.toUpperCase(), b, b] });
    expect({ status, producer_ids: body.producer_ids, name: body.name }).toEqual({
      status: 200,
      producer_ids: [b, c],
      name: "Wanderer",
    });
    expect(await seen(a, id)).toBeUndefined();
    for (const producer of [b, c]) expect(await seen(producer, id)).toEqual(body);
  });

  it("PATCH moves a brand from forty producers to forty others in one request", async () => {
    const [from, to] = [producers(40), producers(40)];
    const { id } = await given("Caravan", from);
    const { status, body } = await change(from[0] ?? "", id, { producer_ids: to, name: "Caravanserai" });
    expect({ status, producer_ids: body.producer_ids }).toEqual({ status: 200, producer_ids: to });
    for (const producer of from) expect(await seen(producer, id)).toBeUndefined();
    for (const producer of to) expect(await seen(producer, id)).toEqual(body);
  });

  it("PATCH cannot remove the last producer of a brand", async () => {
    const producer = randomUUID();
    const { id } = await given("Held", [producer]);
    const answer = await change(producer, id, { producer_ids: [] });
    expect(answer.status).toBe(422);
    expect(problemOf(answer).errors).toContainEqual({
      pointer: "/brand/producer_ids",
      code: "too_few",
      message: "must name at least one producer",
    });
  });

  it("PATCH of a missing brand is 404 even if the body is invalid", async () => {
    const producer = randomUUID();
    const { id } = await given("Held", [producer]);
    expect(await change(producer, randomUUID(), { producer_ids: [] })).toMatchObject({ status: 404 });
    expect(await change(producer, randomUUID(), { producer_ids: producers(41) })).toMatchObject({ status: 404 });
    const stale = { "if-match": '"another"' };
    expect(await change(producer, id, { producer_ids: [] }, stale)).toMatchObject({ status: 412 });
    expect(await change(producer, id, { producer_ids: producers(41) }, stale)).toMatchObject({ status: 412 });
    expect(await seen(producer, id)).toMatchObject({ name: "Held", producer_ids: [producer] });
  });
});

it("deleting a brand removes all its links, and a second DELETE is 404", async () => {
  const linked = producers(40);
  const { id } = await given("Gone", linked);
  const remove = () => call(routes.remove, { params: { producer_id: linked[3] ?? "", id }, as: editor });
  expect(await remove()).toMatchObject({ status: 204, body: "" });
  expect(await remove()).toMatchObject({ status: 404 });
  for (const producer of linked) expect(await seen(producer, id)).toBeUndefined();
});

describe("limits", () => {
  it("linking a brand to a 41st producer is refused and changes nothing", async () => {
    const [producer = "", ...others] = producers(41);
    expect(await create(producer, { name: "Wide", producer_ids: others })).toMatchObject(limitReached);
    expect((await list(producer)).body.total).toBe(0);

    const { id } = await given("Wide", [producer]);
    expect(await change(producer, id, { producer_ids: [producer, ...others] })).toMatchObject(limitReached);
    expect(await seen(producer, id)).toMatchObject({ producer_ids: [producer] });
    expect((await list(others[0] ?? "")).body.total).toBe(0);
  });

  it("a producer's 1,001st brand is refused, whether it is created or linked", async () => {
    const [full = "", other = ""] = producers(2);
    const name = (n: number) => `Brand ${String(n).padStart(4, "0")}`;
    for (let n = 0; n < 1000; n += 50)
      await Promise.all(Array.from({ length: 50 }, (_, k) => given(name(n + k), [full])));
    const { id } = await given("Outside", [other]);

    expect(await create(full, { name: "One more" })).toMatchObject(limitReached);
    expect(await create(other, { name: "One more", producer_ids: [full] })).toMatchObject(limitReached);
    expect(await change(other, id, { producer_ids: [other, full] })).toMatchObject(limitReached);
    expect((await list(full, { page: 10, per: 100 })).body).toMatchObject({ total: 1000, has_more: false });
    expect((await list(full, { page: 1000, per: 1 })).body.data).toMatchObject([{ name: name(999) }]);
    expect((await list(full, { query: "brand 00" })).body.total).toBe(100);

    const inside = (await list(full)).body.data[0]?.id ?? "";
    expect(await change(full, inside, { name: "Renamed", producer_ids: [full, other] })).toMatchObject({ status: 200 });
    expect((await call(routes.remove, { params: { producer_id: full, id: inside }, as: editor })).status).toBe(204);
    expect(await change(other, id, { producer_ids: [full] })).toMatchObject({ status: 200 });
  });
});

const limitReached = { status: 422, body: { code: "limit_reached" } };

const problemOf = ({ body }: { body: unknown }) => body as Problem;
