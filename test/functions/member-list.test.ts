import { beforeAll, describe, expect, it } from "vitest";
import { list } from "#lib/contract/members.ts";
import type { StoredMember } from "#lib/store/members/item.ts";
import { startApi } from "../support/api.ts";
import { aCommunity, aMember, anAddress, aTier, type GivenCommunity } from "../support/given.ts";
import { ids, memberPagesOf, type Query } from "../support/member-pages.ts";

const api = startApi();
const { page, walk } = memberPagesOf(api);

describe("the members of a community", () => {
  let community: GivenCommunity;
  let other: { id: number };
  const all: StoredMember[] = [];
  beforeAll(async () => {
    community = await aCommunity(api.table);
    other = await aTier(api.table, community.id, { name: "Palenque Patron", position: 2 });
    for (let n = 0; n < 45; n++)
      all.push(
        await aMember(api.table, community, {
          status: n % 3 === 0 ? "past_due" : "active",
          tier_id: n % 5 === 0 ? other.id : community.tier.id,
          is_blocked: n % 11 === 0,
        }),
      );
  });

  it("members are listed newest first, or oldest first with sort=created_at", async () => {
    expect((await walk(community, { per: 7 })).flat()).toEqual(ids(all));
    expect((await walk(community, { per: 100, sort: "created_at" })).flat()).toEqual(ids(all).toReversed());
  });

  it("the last page of a list of members is not empty, with any page size", async () => {
    for (const per of [1, 9, 15, 44, 45, 46]) {
      const pages = await walk(community, { per });
      expect(pages.flat()).toEqual(ids(all));
      expect(pages).toHaveLength(Math.ceil(45 / per));
    }
  });

  it.each([
    ["status", () => ({ status: "past_due" }), (m: StoredMember) => m.status === "past_due"],
    ["tier", () => ({ tier_id: other.id }), (m: StoredMember) => m.tier_id === other.id],
    ["being blocked", () => ({ is_blocked: true }), (m: StoredMember) => m.is_blocked],
    ["not being blocked", () => ({ is_blocked: false }), (m: StoredMember) => !m.is_blocked],
    [
      "status, tier and block at once",
      () => ({ status: "active", tier_id: other.id, is_blocked: false }),
      (m: StoredMember) => m.status === "active" && m.tier_id === other.id && !m.is_blocked,
    ],
  ])("members are filtered by %s", async (_, query, matches) => {
    expect((await walk(community, { ...query(), per: 3 })).flat()).toEqual(ids(all.filter(matches)));
  });

  it("a page of members has at most 100 records, and 20 by default", async () => {
    expect((await page(community, { per: 5000 })).body.data).toHaveLength(45);
    expect((await page(community)).body.data).toHaveLength(20);
  });

  it("reading all pages repeats and skips no members while others join and change", async () => {
    const busy = await aCommunity(api.table);
    const there: StoredMember[] = [];
    for (let n = 0; n < 12; n++) there.push(await aMember(api.table, busy));
    const seen: number[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { body } = await page(busy, cursor === undefined ? { per: 2 } : { per: 3, cursor });
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.next_cursor;
      await aMember(api.table, busy);
    }
    expect(seen).toEqual(ids(there));
  });
});

describe("a cursor", () => {
  let community: GivenCommunity;
  let cursor: string;
  beforeAll(async () => {
    community = await aCommunity(api.table);
    for (let n = 0; n < 3; n++) await aMember(api.table, community);
    cursor = (await page(community, { per: 1 })).body.next_cursor ?? "";
  });

  it.each([
    ["position", (text: string) => `B${text.slice(1)}`],
    ["signature", (text: string) => `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`],
  ])("a cursor is refused if its %s was altered", async (_, alter) => {
    expect(alter(cursor)).not.toBe(cursor);
    expect(await page(community, { cursor: alter(cursor) })).toMatchObject({
      status: 422,
      body: { code: "invalid_cursor" },
    });
  });

  it.each([
    ["a filter by status", { status: "active" }],
    ["a filter by tier", { tier_id: 1 }],
    ["a filter by block", { is_blocked: false }],
    ["a filter by access", { access: false }],
    ["a filter by what the tier requires", { requires_shipping_address: false }],
    ["a filter by address", { has_shipping_address: false }],
    ["a filter by a scheduled end", { is_canceling: false }],
    ["another order", { sort: "created_at" }],
    ["a search", { query: "ana" }],
  ])("a cursor is refused with %s", async (_, query) => {
    expect(await page(community, { ...query, cursor })).toMatchObject({
      status: 422,
      body: { code: "invalid_cursor" },
    });
  });

  it("a cursor is refused in another community, and accepted with another page size", async () => {
    const other = await aCommunity(api.table);
    expect(await page(other, { cursor })).toMatchObject({ status: 422 });
    expect((await page(community, { cursor, per: 50 })).body.data).toHaveLength(2);
  });
});

describe("searching members", () => {
  let community: GivenCommunity;
  const find = async (query: string, rest: Query = {}) => (await walk(community, { query, ...rest })).flat();
  let zoe: StoredMember;
  let anna: StoredMember;
  let lena: StoredMember;
  beforeAll(async () => {
    community = await aCommunity(api.table);
    const person = (first_name: string, last_name: string, username: string) =>
      aMember(api.table, community, { user: { first_name, last_name, username, email: `${username}@example.com` } });
    zoe = await person("Zoë", "Straße", "zs");
    anna = await person("Anna", "Aal", "anna");
    lena = await person("Anna Lena", "İnan", "100%_");
  });

  it.each([
    ["zoe", () => [zoe]],
    ["STRASSE", () => [zoe]],
    ["inan", () => [lena]],
    ["100%", () => [lena]],
    ["100_", () => []],
    ["nna", () => []],
    ["\u0301", () => []],
  ])("a search of members finds the folded start of a name: %s", async (query, expected) => {
    expect(await find(query)).toEqual(expected().map(({ id }) => id));
  });

  it("a search of members is sorted by the matched text and returns each member once, at its first match", async () => {
    expect(await find("a")).toEqual([anna.id, lena.id]);
    expect(await find("an", { per: 1 })).toEqual([anna.id, lena.id]);
  });

  it("a search of members can be combined with filters, but not with sort", async () => {
    expect(await find("an", { status: "canceled" })).toEqual([]);
    expect(await page(community, { query: "an", sort: "created_at" })).toMatchObject({ status: 422 });
  });

  it.each(["Ana Maria de la", "de la Cruz, Ana", "DE LA CRUZ ANA MARIA", "  ana   maría de la cruz "])(
    "a search of members finds a full name in either order: %s",
    async (query) => {
      const place = await aCommunity(api.table);
      const user = { first_name: "Ana María", last_name: "de la Cruz" };
      const member = await aMember(api.table, place, { user });
      await aMember(api.table, place, { user: { first_name: "Ana", last_name: "Cruz" } });
      const { body } = await page(place, { query: query.replace(",", "") });
      expect(body.data.map(({ id }) => id)).toEqual([member.id]);
    },
  );

  it("a search of members finds whole ids of members and users, and combines them with filters", async () => {
    const place = await aCommunity(api.table);
    const member = await aMember(api.table, place, { status: "past_due" });
    const namesake = await aMember(api.table, place, { user: { username: `${member.id}` } });
    const stranger = await aMember(api.table, await aCommunity(api.table));
    const findHere = async (query: string | number, rest: Query = {}) =>
      (await walk(place, { query: `${query}`, ...rest })).flat();
    expect(await findHere(member.user.id)).toEqual([member.id]);
    for (const per of [1, 2]) expect(await findHere(member.id, { per })).toEqual([member.id, namesake.id]);
    expect(await findHere(member.id, { status: "past_due" })).toEqual([member.id]);
    expect(await findHere(`${member.user.id}`.slice(0, -1))).not.toContain(member.id);
    expect([await findHere(stranger.id), await findHere(stranger.user.id)]).toEqual([[], []]);
  });

  it("a member whose username is their id is found once", async () => {
    const place = await aCommunity(api.table);
    const user = { id: 4_711_000_815, username: "4711000815" };
    const member = await aMember(api.table, place, { user });
    expect((await walk(place, { query: user.username, per: 1 })).flat()).toEqual([member.id]);
  });

  it("an erased person is found by the id of the member only", async () => {
    const place = await aCommunity(api.table);
    const user = { username: "erased", email: "", first_name: "", last_name: "" };
    const member = await aMember(api.table, place, { user, erased_at: "2026-11-20T00:00:00.000Z" });
    expect((await walk(place, { query: `${member.id}` })).flat()).toEqual([member.id]);
    expect((await walk(place, { query: `${member.user.id}` })).flat()).toEqual([]);
  });

  it("an empty query lists all members", async () => {
    expect(await find("")).toHaveLength(3);
    expect(await find("  ")).toHaveLength(3);
  });
});

describe("members as CSV", () => {
  it("the CSV has the same members as the JSON page, no formulas, and a link to the next page", async () => {
    const community = await aCommunity(api.table);
    await aMember(api.table, community, { user: { first_name: '=HYPERLINK("x")', last_name: "O'Neil, Jr." } });
    await aMember(api.table, community);
    const path = `/odis/v1/communities/${community.id}/members?per=1&sort=created_at`;
    const headers = { authorization: `Bearer ${await api.tokenOf(community.owner)}`, accept: "text/csv" };

    const first = await api.send(path, { headers });
    const [header = "", row = ""] = (await first.text()).split("\r\n");
    expect(first.headers.get("content-type")).toContain("text/csv");
    expect(first.headers.get("vary")).toBe("Accept");
    expect(header).toMatch(
      /^id,status,.*shipping_address_country,shipping_address_phone,is_blocked.*,user_email,.*membership_tier_name/,
    );
    expect(header).not.toContain("metadata");
    expect(row).toContain(`"'=HYPERLINK(""x"")","O'Neil, Jr."`);

    const [, next = ""] = /^<(.+)>; rel="next"$/.exec(first.headers.get("link") ?? "") ?? [];
    const second = await api.send(next, { headers });
    expect(second.headers.get("link")).toBeNull();
    expect((await second.text()).split("\r\n")[1]).toContain('"Ana","Peña"');
  });

  it("a list of members is JSON for any other Accept", async () => {
    const community = await aCommunity(api.table);
    for (const accept of [
      "*/*",
      "text/html",
      "text/csv;q=0",
      "text/csv;q=0.5, application/json",
      "application/json, text/csv",
    ]) {
      const { headers } = await api.call(list, {
        params: { community_id: community.id },
        as: community.owner,
        headers: { accept },
      });
      expect(headers.get("content-type")).toBe("application/json");
    }
  });
});

describe("members as shipping labels", () => {
  const header =
    "Order Number,Recipient Name,Address Line 1,Address Line 2,City,State,Postal Code,Country,Phone,Item Name,Quantity";
  const labelsOf = async (community: GivenCommunity, query: string, accept = "text/csv") => {
    const headers = { authorization: `Bearer ${await api.tokenOf(community.owner)}`, accept };
    return api.send(`/odis/v1/communities/${community.id}/members?columns=labels${query}`, { headers });
  };

  it("a label has the columns of label software, falls back to the member's name, and contains no formula", async () => {
    const community = await aCommunity(api.table);
    const named = await aMember(api.table, community, {
      shipping_address: anAddress({ name: "Ana Ruiz", line2: "=1+1", state: "OAX", phone: "+52 951 000 1111" }),
    });
    const user = { first_name: "Zoë", last_name: "Peña" };
    const nameless = await aMember(api.table, community, { user, shipping_address: anAddress({ name: "" }) });
    const withoutAddress = await aMember(api.table, community, { user: { first_name: "", last_name: "" } });

    const response = await labelsOf(community, "&sort=created_at");
    expect(response.headers.get("content-type")).toContain("text/csv");
    expect(response.headers.get("link")).toBeNull();
    const tier = '"Barrel Owner",1';
    expect((await response.text()).split("\r\n")).toEqual([
      header,
      `${named.id},"Ana Ruiz","Calle 1","'=1+1","Oaxaca","OAX","68000","MX","52 951 000 1111",${tier}`,
      `${nameless.id},"Zoë Peña","Calle 1","","Oaxaca","","68000","MX","",${tier}`,
      `${withoutAddress.id},"","","","","","","","",${tier}`,
      "",
    ]);
  });

  it("a file of labels has more rows than a page of members", async () => {
    const community = await aCommunity(api.table);
    for (let n = 0; n < 102; n++) await aMember(api.table, community);
    const response = await labelsOf(community, "&access=true");
    expect((await response.text()).trimEnd().split("\r\n")).toHaveLength(103);
    expect(response.headers.get("link")).toBeNull();
  });

  it("labels are refused as JSON, with per, and with other columns", async () => {
    const community = await aCommunity(api.table);
    const problemOf = async (response: Response) => ({
      status: response.status,
      ...((await response.json()) as object),
    });
    for (const [response, parameter, code] of [
      [await labelsOf(community, "", "application/json"), "columns", "conflicts"],
      [await labelsOf(community, "&per=20"), "per", "conflicts"],
      [await labelsOf(community, "&columns=labels"), "columns", "duplicate"],
    ] as const)
      expect(await problemOf(response)).toMatchObject({ status: 422, errors: [{ parameter, code }] });
    expect(await page(community, { columns: "all" })).toMatchObject({
      status: 422,
      body: { code: "validation_failed" },
    });
  });
});
