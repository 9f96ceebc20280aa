import { beforeAll, describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as routes from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import { addProfile } from "../../tools/local/users.ts";
import { admin, type Problem, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

const api = startApi();
const { call } = api;

const owner_id = 4001;
const addUser = (id: number) =>
  addProfile(api.table, { id, username: `user${id}`, first_name: "Nora", last_name: "New" });
beforeAll(() => addUser(owner_id));

const create = (community: object) => call(routes.create, { as: admin, body: { community } });
const update = ({ id }: { id: number }, community: object, as: { id: number } = admin) =>
  call(routes.update, { params: { id }, as, body: { community } });
const show = ({ id }: { id: number }) => call(routes.show, { params: { id }, as: { id: 9 } });
const pointersOf = ({ body }: { body: unknown }) => (body as Problem).errors?.map(({ pointer }) => pointer);

describe("creating a community", () => {
  it("creating a community sets defaults for omitted fields, and Location is its path", async () => {
    const { status, body, headers } = await create({ name: " Ágave & Friends ", owner_id });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/odis/v1/communities/${body.id}`);
    expect(body).toMatchObject({
      name: "Ágave & Friends",
      slug: "agave-friends",
      owner_id,
      avatar_url: null,
      status: "active",
      trending: false,
      trending_pin: null,
      member_count: 0,
      sequence: expect.any(Number),
    });
    expect(body.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect((await show(body)).body).toEqual(body);
  });

  it("communities with the same name get numbered slugs, even if they are created at the same time", async () => {
    const created = await Promise.all(Array.from({ length: 12 }, () => create({ name: "Peat & Smoke", owner_id })));
    const slugs = created.map(({ body }) => body.slug);
    expect(new Set(slugs).size).toBe(12);
    expect(slugs).toEqual(expect.arrayContaining(["peat-smoke", "peat-smoke-2", "peat-smoke-9"]));
    for (const slug of slugs) expect(slug).toMatch(/^peat-smoke(-[2-9]|-[0-9a-f]{8})?$/);
  });

  it("a community can have any free slug, and a taken slug is refused", async () => {
    expect((await create({ name: "Rye", slug: "rye-club", owner_id })).body.slug).toBe("rye-club");
    expect(await create({ name: "Rye", slug: "rye-club", owner_id })).toMatchObject({
      status: 409,
      body: { code: "slug_taken" },
    });
  });

  const slugs = ["", "-a", "a-", "A", "a_b", "ä", "a".repeat(64), "1800"];
  const avatarUrls = [
    "",
    "http://example.com/a.png",
    "javascript:alert(1)",
    "https://",
    "https://exa mple.com",
    "https://example.com/a\nb",
    "https://example.com/ñ.png",
    "https://example.com/100%.png",
    `https://example.com/${"a".repeat(2000)}`,
  ];

  it.each<[object, string]>([
    [{ name: undefined }, "/community/name"],
    [{ name: "  " }, "/community/name"],
    [{ owner_id: undefined }, "/community/owner_id"],
    [{ owner_id: 4_000_999 }, "/community/owner_id"],
    [{ status: "archived" }, "/community/status"],
    [{ trending_pin: "up" }, "/community/trending_pin"],
    ...slugs.map((slug): [object, string] => [{ slug }, "/community/slug"]),
    ...avatarUrls.map((avatar_url): [object, string] => [{ avatar_url }, "/community/avatar_url"]),
  ])("a new community with %j is refused", async (part, pointer) => {
    const answer = await create({ name: "Fine", owner_id, ...part });
    expect(answer).toMatchObject({ status: 422, body: { code: "validation_failed" } });
    expect(pointersOf(answer)).toContain(pointer);
  });
});

describe("editing a community", () => {
  it("an owner can change the name, slug and avatar of the community", async () => {
    const community = await aCommunity(api.table);
    const changes = { name: "Renamed", slug: "renamed", avatar_url: "https://example.com/a.png?size=2" };
    expect(await update(community, changes, community.owner)).toMatchObject({ status: 200, body: changes });
    expect((await show(community)).body).toMatchObject(changes);
    expect((await update(community, { avatar_url: null }, community.owner)).body.avatar_url).toBeNull();
  });

  it.each([{ owner_id }, { status: "archived" }, { trending_pin: "on" }, { trending_pin: null }])(
    "only an admin can change a community by %j",
    async (change) => {
      const community = await aCommunity(api.table);
      const before = (await show(community)).body;
      expect(await update(community, { name: "Both", ...change }, community.owner)).toMatchObject({
        status: 403,
        body: { code: "forbidden" },
      });
      expect((await show(community)).body).toEqual(before);
      expect(await update(community, change)).toMatchObject({ status: 200, body: change });
    },
  );

  it("changing a community's slug frees the old slug", async () => {
    const community = await aCommunity(api.table, { slug: "first-slug" });
    const another = await aCommunity(api.table);
    expect((await update(another, { slug: "first-slug" })).body).toMatchObject({ code: "slug_taken" });
    expect((await update(community, { slug: "second-slug" })).status).toBe(200);
    expect((await update(community, { slug: "second-slug" })).status).toBe(200);
    expect((await update(another, { slug: "first-slug" })).body.slug).toBe("first-slug");
  });

  it("a slug of digits only is refused, unless the community has it already", async () => {
    const community = await aCommunity(api.table, { slug: "1800" });
    expect((await update(community, { slug: "1800", name: "Both" })).status).toBe(200);
    const refused = { pointer: "/community/slug", code: "not_allowed", message: "must not consist of digits only" };
    expect(await update(community, { slug: "1801" })).toMatchObject({ status: 422, body: { errors: [refused] } });
    expect((await show(community)).body.slug).toBe("1800");
  });

  it("of concurrent requests for one slug, only one gets it", async () => {
    const wanting: GivenCommunity[] = [];
    for (let n = 0; n < 5; n++) wanting.push(await aCommunity(api.table));
    const answers = await Promise.all(wanting.map((community) => update(community, { slug: "wanted" })));
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  });

  it("an admin can pin a community as trending or as not trending", async () => {
    const community = await aCommunity(api.table);
    expect((await update(community, { trending_pin: "on" })).body.trending).toBe(true);
    expect((await update(community, { trending_pin: "off" })).body.trending).toBe(false);
  });
});

describe("changing the owner", () => {
  it("a change of the owner takes effect at once, also for requests about members and benefits", async () => {
    const community = await aCommunity(api.table);
    const benefit = await aBenefit(api.table, community);
    const mayManage = async (as: { id: number }) => [
      (await call(members.list, { params: { community_id: community.id }, as })).status,
      (await call(benefits.show, { params: { id: benefit.id }, as })).status,
      (await update(community, {}, as)).status,
    ];
    expect(await mayManage(community.owner)).toEqual([200, 200, 200]);
    expect(await mayManage({ id: owner_id })).toEqual([403, 403, 403]);
    expect((await update(community, { owner_id })).body.owner_id).toBe(owner_id);
    expect(await mayManage(community.owner)).toEqual([403, 403, 403]);
    expect(await mayManage({ id: owner_id })).toEqual([200, 200, 200]);
  });

  it("the new owner of a community must be known and not blocked", async () => {
    const community = await aCommunity(api.table);
    const blocked = await aMember(api.table, community, { is_blocked: true });
    await addUser(blocked.user.id);
    for (const [id, code] of [
      [4_000_999, "unknown_reference"],
      [blocked.user.id, "not_allowed"],
    ] as const)
      expect(await update(community, { owner_id: id })).toMatchObject({
        status: 422,
        body: { code: "validation_failed", errors: [{ pointer: "/community/owner_id", code }] },
      });
    const member = await aMember(api.table, community);
    await addUser(member.user.id);
    expect((await update(community, { owner_id: member.user.id })).status).toBe(200);
  });

  it("a person who is blocked at the same time never becomes the owner of a community", async () => {
    for (let round = 0; round < 10; round++) {
      const community = await aCommunity(api.table);
      const member = await aMember(api.table, community);
      await addUser(member.user.id);
      const params = { community_id: community.id, id: member.id };
      const [change, block] = await Promise.all([
        update(community, { owner_id: member.user.id }),
        call(members.block, { params, as: admin, body: {} }),
      ]);
      expect([
        [200, 409],
        [422, 200],
      ]).toContainEqual([change.status, block.status]);
    }
  });
});

it("members and benefits of an archived community can still be managed", async () => {
  const community = await aCommunity(api.table);
  const member = await aMember(api.table, community);
  const benefit = await aBenefit(api.table, community);
  expect((await update(community, { status: "archived" })).body.status).toBe("archived");

  const as = community.owner;
  const params = { community_id: community.id, id: member.id };
  expect((await call(members.block, { params, as, body: {} })).status).toBe(200);
  expect((await call(benefits.archive, { params: { id: benefit.id }, as, body: {} })).status).toBe(200);
  expect((await update(community, { name: "Closed" }, as)).status).toBe(200);
  expect((await update(community, { status: "active" })).body.status).toBe("active");
});
