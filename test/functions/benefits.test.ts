import { beforeAll, describe, expect, it } from "vitest";
import * as routes from "#lib/contract/benefits.ts";
import { keys } from "#lib/store/keys.ts";
import { admin, type Problem, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aTier, type GivenCommunity } from "../support/given.ts";
import { setUp } from "../support/set-up.ts";

const api = startApi();
const { call } = api;

const community = setUp(() => aCommunity(api.table));
const other = setUp(() => aCommunity(api.table));

const of = ({ id }: { id: number }) => ({ params: { id }, as: admin });
const under = ({ id }: { id: number }) => ({ params: { community_id: id }, as: admin });

const create = (place: { id: number }, benefit: object) => call(routes.create, { ...under(place), body: { benefit } });
const show = async (benefit: { id: number }) => (await call(routes.show, of(benefit))).body;
const assign = (benefit: { id: number }, tier_ids: unknown) =>
  call(routes.assignToTiers, { ...of(benefit), body: { tier_ids } });
const namesOf = async (place: { id: number }, query = {}) =>
  (await call(routes.list, { ...under(place), query })).body.data.map(({ name }) => name);

describe("creating a benefit", () => {
  it("creating a benefit sets defaults for omitted fields, and Location is its path", async () => {
    const place = await aCommunity(api.table, { name: "Peat & Smoke" });
    const { status, body, headers } = await call(routes.create, {
      params: { community_id: place.id },
      as: place.owner,
      body: { benefit: { name: "  Barrel tour " } },
    });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/odis/v1/benefits/${body.id}`);
    expect(headers.get("etag")).toMatch(/^"[\w-]{22}\.[\w-]{22}"$/);
    expect(body).toMatchObject({
      name: "Barrel tour",
      description: "",
      position: 1,
      status: "active",
      tier_ids: [],
      tiers: [],
      community: { id: place.id, name: "Peat & Smoke" },
    });
    expect(await show(body)).toEqual(body);
  });

  it("a benefit without a position goes after the last one, including archived ones", async () => {
    const place = await aCommunity(api.table);
    const last = await create(place, { name: "Last", position: 41 });
    await call(routes.archive, of(last.body));
    expect((await create(place, { name: "After it" })).body.position).toBe(42);
    await create(place, { name: "At the end", position: 1_000_000 });
    expect((await create(place, { name: "At the end, too" })).body.position).toBe(1_000_000);
  });

  it("two benefits of a community may have the same name", async () => {
    const place = await aCommunity(api.table);
    for (const name of ["Twin", "Twin"]) expect((await create(place, { name })).status).toBe(201);
    expect(await namesOf(place)).toEqual(["Twin", "Twin"]);
  });

  it("ten benefits that are created at the same time get ten different positions", async () => {
    const place = await aCommunity(api.table);
    const created = await Promise.all(Array.from({ length: 10 }, (_, n) => create(place, { name: `Perk ${n}` })));
    expect(created.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
    const { body } = await call(routes.list, under(place));
    expect(body.data.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it.each([
    [{}, "/benefit/name", "required"],
    [{ name: " " }, "/benefit/name", "too_short"],
    [{ name: "x".repeat(121) }, "/benefit/name", "too_long"],
    [{ name: "x", description: "x".repeat(2001) }, "/benefit/description", "too_long"],
    [{ name: "x", description: null }, "/benefit/description", "wrong_type"],
    [{ name: "x", position: -1 }, "/benefit/position", "too_small"],
    [{ name: "x", position: 1_000_001 }, "/benefit/position", "too_large"],
    [{ name: "x", position: 1.5 }, "/benefit/position", "wrong_type"],
    [{ name: "x", position: "1" }, "/benefit/position", "wrong_type"],
    [{ name: "x", tier_ids: ["1"] }, "/benefit/tier_ids/0", "wrong_type"],
    [{ name: "x", tier_ids: null }, "/benefit/tier_ids", "wrong_type"],
    [{ name: "x", status: "archived" }, "/benefit/status", "read_only"],
  ])("a new benefit with %j is refused", async (benefit, pointer, code) => {
    const { status, body } = await create(community, benefit);
    expect(status).toBe(422);
    expect((body as unknown as Problem).errors).toContainEqual(expect.objectContaining({ pointer, code }));
  });
});

describe("two hundred benefits with the same position", () => {
  let place: GivenCommunity;
  beforeAll(async () => {
    place = await aCommunity(api.table);
    for (let n = 0; n < 200; n++) await create(place, { name: `Perk ${n}`, position: 7, tier_ids: [place.tier.id] });
  });

  it.each([1, 7, 20, 64, 100, 500])(
    "benefits with the same position are listed in creation order, in pages of %d",
    async (per) => {
      const found: string[] = [];
      for (let page = 1, more = true; more; page++) {
        const { body } = await call(routes.list, { ...under(place), query: { per, page } });
        expect(body).toMatchObject({ total: 200, page, per: Math.min(per, 100) });
        found.push(...body.data.map(({ name }) => name));
        more = body.has_more;
      }
      expect(found).toEqual(Array.from({ length: 200 }, (_, n) => `Perk ${n}`));
    },
  );

  it("a community has at most 200 benefits, however many are created at the same time", async () => {
    expect(await create(place, { name: "One more" })).toMatchObject({ status: 422, body: { code: "limit_reached" } });

    const { body } = await call(routes.list, { ...under(place), query: { per: 3 } });
    for (const benefit of body.data) await call(routes.remove, of(benefit));
    const racing = await Promise.all(Array.from({ length: 8 }, (_, n) => create(place, { name: `Late ${n}` })));
    expect(racing.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201, 201, 201, 422, 422, 422, 422, 422,
    ]);
    expect((await call(routes.list, under(place))).body.total).toBe(200);
  });
});

describe("listing benefits", () => {
  let place: GivenCommunity;
  let second: { id: number };
  beforeAll(async () => {
    place = await aCommunity(api.table);
    second = await aTier(api.table, place.id, { position: 2 });
    await aBenefit(api.table, place, { name: "Third", position: 9, tier_ids: [place.tier.id, second.id] });
    await aBenefit(api.table, place, { name: "First", position: 2, tier_ids: [second.id] });
    await aBenefit(api.table, place, { name: "Second", position: 4 });
    const old = await aBenefit(api.table, place, { name: "Old", position: 3, tier_ids: [second.id] });
    await call(routes.archive, of(old));
  });

  it.each([
    [{}, ["First", "Second", "Third"]],
    [{ status: "active" }, ["First", "Second", "Third"]],
    [{ status: "archived" }, ["Old"]],
    [{ status: "all" }, ["First", "Old", "Second", "Third"]],
    [{ per: 1, page: 2 }, ["Second"]],
    [{ page: 9 }, []],
  ])("a list of benefits with %j shows %j", async (query, names) => {
    expect(await namesOf(place, query)).toEqual(names);
  });

  it("a list of benefits can be filtered by tier", async () => {
    expect(await namesOf(place, { tier_id: second.id })).toEqual(["First", "Third"]);
    expect(await namesOf(place, { tier_id: second.id, status: "all" })).toEqual(["First", "Old", "Third"]);
    expect(await namesOf(place, { tier_id: other.tier.id })).toEqual([]);
  });

  it.each(["status=hidden", "tier_id=x", "per=0", "page=0"])("a list of benefits with %s is refused", async (query) => {
    const [name = "", value = ""] = query.split("=");
    const refused = await call(routes.list, { ...under(place), query: { [name]: value } });
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ parameter: name }] } });
  });
});

describe("editing a benefit", () => {
  it("editing a benefit changes only the given fields", async () => {
    const benefit = await aBenefit(api.table, community, { description: "By e-mail", tier_ids: [community.tier.id] });
    const { body } = await call(routes.update, { ...of(benefit), body: { benefit: { name: "Notes", position: 0 } } });
    expect(body).toMatchObject({ name: "Notes", position: 0, description: "By e-mail", tier_ids: [community.tier.id] });
    const emptied = await call(routes.update, { ...of(benefit), body: { benefit: { description: "", tier_ids: [] } } });
    expect(emptied.body).toMatchObject({ name: "Notes", description: "", tier_ids: [], tiers: [] });
    expect(await show(benefit)).toEqual(emptied.body);
  });

  it("if a benefit is edited and assigned concurrently, both changes take effect", async () => {
    const benefit = await aBenefit(api.table, community);
    await Promise.all([
      call(routes.update, { ...of(benefit), body: { benefit: { name: "New" } } }),
      call(routes.update, { ...of(benefit), body: { benefit: { position: 5 } } }),
      assign(benefit, [community.tier.id]),
      call(routes.archive, of(benefit)),
    ]);
    const tier_ids = [community.tier.id];
    expect(await show(benefit)).toMatchObject({ name: "New", position: 5, tier_ids, status: "archived" });
  });
});

it("archive and activate change the status of a benefit, and repeating them has no effect", async () => {
  const benefit = await aBenefit(api.table, community, { tier_ids: [community.tier.id] });
  for (const [route, status] of [
    [routes.archive, "archived"],
    [routes.activate, "active"],
  ] as const) {
    const first = await call(route, of(benefit));
    expect(first).toMatchObject({ status: 200, body: { status, tier_ids: [community.tier.id] } });
    expect((await call(route, of(benefit))).body).toEqual(first.body);
  }
});

describe("assigning a benefit to tiers", () => {
  const tiers: { id: number }[] = [];
  beforeAll(async () => {
    for (const position of [3, 1, 2]) tiers.push(await aTier(api.table, other.id, { position, name: `T${position}` }));
  });
  const ids = (...order: number[]) => order.map((n) => tiers[n]?.id ?? 0);

  it("assign_to_tiers replaces the assignment of a benefit and returns its tiers by position", async () => {
    const benefit = await aBenefit(api.table, other, { tier_ids: [other.tier.id] });
    const { body } = await assign(benefit, ids(0, 1, 2, 1));
    expect(body.tier_ids).toEqual(ids(1, 2, 0));
    expect(body.tiers).toEqual([
      { id: tiers[1]?.id, name: "T1", position: 1 },
      { id: tiers[2]?.id, name: "T2", position: 2 },
      { id: tiers[0]?.id, name: "T3", position: 3 },
    ]);
    expect((await assign(benefit, [])).body).toMatchObject({ tier_ids: [], tiers: [] });
    expect(await show(benefit)).toMatchObject({ tier_ids: [], tiers: [] });
  });

  it("a benefit can be assigned to an archived tier, which may still have members", async () => {
    const archived = await aTier(api.table, other.id, { status: "archived" });
    const benefit = await aBenefit(api.table, other);
    expect((await assign(benefit, [archived.id])).body.tier_ids).toEqual([archived.id]);
  });

  it("an assignment of a benefit changes nothing if one tier is unknown or of another community", async () => {
    const benefit = await aBenefit(api.table, other, { tier_ids: [other.tier.id] });
    const before = await show(benefit);
    for (const bad of [4711, community.tier.id]) {
      const problem = { status: 422, body: { code: "unknown_tier" } };
      const edit = { name: "New", tier_ids: [...ids(0), bad] };
      expect(await assign(benefit, [...ids(0, 1), bad])).toMatchObject(problem);
      expect(await call(routes.update, { ...of(benefit), body: { benefit: edit } })).toMatchObject(problem);
      expect(await create(other, edit)).toMatchObject(problem);
    }
    expect(await show(benefit)).toEqual(before);
    expect(await namesOf(other)).not.toContain("New");
  });

  it("a benefit can be assigned to at most fifty tiers", async () => {
    const place = await aCommunity(api.table);
    const fifty: number[] = [];
    while (fifty.length < 50) fifty.push((await aTier(api.table, place.id)).id);
    const benefit = await aBenefit(api.table, place);
    expect((await assign(benefit, fifty)).body.tier_ids).toHaveLength(50);
    expect(await assign(benefit, [...fifty, place.tier.id])).toMatchObject({
      body: { code: "limit_reached", errors: [{ pointer: "/tier_ids", code: "too_many" }] },
    });
    expect((await create(place, { name: "For all", tier_ids: fifty })).status).toBe(201);
  });

  it.each([[undefined], [null], [7], [["7"]], [[0]], [[1.5]]])(
    "an assignment of a benefit with %j is refused",
    async (tier_ids) => {
      const benefit = await aBenefit(api.table, other);
      expect(await assign(benefit, tier_ids)).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    },
  );
});

it("a deleted benefit is removed from the table completely", async () => {
  const benefit = await aBenefit(api.table, community, { name: "Gone" });
  expect(await call(routes.remove, of(benefit))).toMatchObject({ status: 204, body: "" });
  expect(await call(routes.show, of(benefit))).toMatchObject({ status: 404, body: { code: "not_found" } });
  expect(await call(routes.remove, of(benefit))).toMatchObject({ status: 404 });
  expect(await namesOf(community, { status: "all" })).not.toContain("Gone");
  const items = [keys.benefit(community.id, benefit.id), keys.benefitParent(benefit.id)];
  expect(await api.table.getAll(items)).toEqual([]);
});
