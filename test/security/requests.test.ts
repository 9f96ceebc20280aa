import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import * as benefits from "#lib/contract/benefits.ts";
import * as communities from "#lib/contract/communities.ts";
import * as members from "#lib/contract/members.ts";
import { pathOf, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, type GivenCommunity } from "../support/given.ts";
import { rawRequests, sendBytes } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

let community: GivenCommunity;
let membersPath: string;
let benefitsPath: string;
beforeAll(async () => {
  community = await aCommunity(api.table);
  for (let n = 0; n < 3; n++) await aMember(api.table, community);
  membersPath = pathOf(members.list, { community_id: community.id });
  benefitsPath = pathOf(benefits.create, { community_id: community.id });
});

describe("a cursor", () => {
  const forged = (position: string) => `${Buffer.from(position).toString("base64url")}.${"A".repeat(22)}`;

  it.each([
    ["garbage", "x"],
    ["a forged signature", forged("9")],
    ["a forged key of the table", forged('{"pk":"USER#1","sk":"USER"}')],
    ["no signature", Buffer.from("9").toString("base64url")],
    ["600 characters", "a".repeat(600)],
    ["600 dots", ".".repeat(600)],
    ["NUL", "\0"],
  ])("a cursor of %s is 422", async (_, cursor) => {
    const path = `${membersPath}?cursor=${encodeURIComponent(cursor)}`;
    const { status, code } = await send({ as: community.owner, path });
    expect(status).toBe(422);
    expect(["invalid_cursor", "validation_failed"]).toContain(code);
  });

  it("a cursor of the list of members is 422 in the activity of the community", async () => {
    const params = { community_id: community.id };
    const { body } = await api.call(members.list, { as: community.owner, params, query: { per: 1 } });
    const query = { cursor: body.next_cursor ?? "" };
    expect(query.cursor).not.toBe("");
    const answer = await api.call(communities.activity, { as: community.owner, params: { id: community.id }, query });
    expect(answer).toMatchObject({ status: 422, body: { code: "invalid_cursor" } });
  });
});

describe("the Idempotency-Key of another caller", () => {
  const body = { benefit: { name: "Tour" } };
  const create = (more: object = {}) =>
    send({
      as: community.owner,
      method: "POST",
      path: benefitsPath,
      body,
      headers: { "idempotency-key": "k" },
      ...more,
    });
  let first: Awaited<ReturnType<typeof create>>;
  beforeAll(async () => {
    first = await create();
  });

  it("a used Idempotency-Key returns nothing to a caller without the right", async () => {
    expect(await create({ as: { id: 77 } })).toMatchObject({ status: 403, code: "forbidden" });
  });

  it("the same Idempotency-Key of another caller with the right is another request", async () => {
    const other = await create({ as: { id: 1, groups: ["admin"] } });
    expect(other).toMatchObject({ status: 201 });
    expect(other.headers.get("idempotency-replayed")).toBeNull();
    expect(first).toMatchObject({ status: 201 });
    expect(other.body).not.toMatchObject({ id: (first.body as { id: number }).id });
  });

  it("a response is replayed for another spelling of the same path", async () => {
    const [digit = ""] = String(community.id);
    const path = benefitsPath.replace(`/${digit}`, `/%3${digit}`);
    expect(path).not.toBe(benefitsPath);
    const again = await create({ path });
    expect(again).toMatchObject({ status: 201, body: first.body });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
  });
});

describe("line breaks for headers of the answer", () => {
  const injected = "%0d%0aset-cookie:%20a=b%0d%0a";

  it("a query with line breaks adds no header, and is encoded in Link", async () => {
    const path = `${membersPath}?per=1&sort=created_at&status=active`;
    const csv = await send({ as: community.owner, path, headers: { accept: "text/csv" } });
    expect(csv.headers.get("link")).toMatch(/^<\/odis\/v1\/communities\/\d+\/members\?[\w%&=.+-]+>; rel="next"$/);
    const searched = await send({ as: community.owner, path: `${membersPath}?query=Ana${injected}&per=1` });
    expect(searched.status).toBe(200);
    expect(searched.headers.get("set-cookie")).toBeNull();
  });

  it.each([`/odis/v1/${injected}`, `/docs${injected}`, `/odis/v1/communities/${injected}`])(
    "a path with line breaks adds no header: %s",
    async (path) => {
      const answer = await send({ as: community.owner, path });
      expect(answer.status).toBe(404);
      expect(answer.headers.get("set-cookie")).toBeNull();
    },
  );

  it("the id of a request is the gateway's own, not the caller's", async () => {
    const headers = { "x-request-id": "mine", "apigw-requestid": "mine", "x-amzn-requestid": "mine" };
    const answer = await send({ path: membersPath, headers });
    expect(answer.headers.get("x-request-id")).not.toBe("mine");
    expect(answer.body).toMatchObject({ request_id: answer.headers.get("x-request-id") });
  });
});

it.each(["https://evil.example", "null", "http://localhost.evil.example:5173"])(
  "%s gets no CORS header",
  async (origin) => {
    const preflight = {
      origin,
      "access-control-request-method": "GET",
      "access-control-request-headers": "authorization",
    };
    const answers = [
      await send({ as: community.owner, path: membersPath, headers: { origin } }),
      await send({ path: membersPath, method: "OPTIONS", headers: preflight }),
    ];
    for (const { headers } of answers)
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
  },
);

describe("headers that say who or what was asked", () => {
  it("Link and Location do not depend on forwarded hosts", async () => {
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example", "x-original-url": "/health" };
    const list = await send({
      as: community.owner,
      path: `${membersPath}?per=1`,
      headers: { ...headers, accept: "text/csv" },
    });
    expect(list.headers.get("link")).toMatch(/^<\/odis\/v1\//);
    const body = { benefit: { name: "Tasting" } };
    const made = await send({ as: community.owner, method: "POST", path: benefitsPath, body, headers });
    expect(made.headers.get("location")).toMatch(/^\/odis\/v1\/benefits\/\d+$/);
  });

  it("another Host is refused by the local stack, and never returned", async () => {
    const { status, body } = await sendBytes(api.stack.url, { path: "/health", headers: { host: "evil.example" } });
    expect(status).toBe(421);
    expect(body).not.toContain("evil");
  });

  it.each(["x-http-method-override", "x-http-method", "x-method-override"])(
    "%s does not change the method",
    async (name) => {
      const { id } = await aBenefit(api.table, community);
      const path = pathOf(benefits.show, { id });
      const answer = await send({ as: community.owner, path, headers: { [name]: "DELETE" } });
      expect(answer).toMatchObject({ status: 200, body: { id } });
      expect((await send({ as: community.owner, path })).status).toBe(200);
    },
  );
});

it.each(["/%3Cscript%3Ealert(1)%3C/script%3E", "/odis/v1/communities/%22%3E%3Cimg%20src=x%3E", "/docs/%3Csvg%3E"])(
  "%s is returned as JSON that no browser interprets as a page",
  async (path) => {
    const { status, headers, body } = await send({ as: community.owner, path });
    expect(status).toBe(404);
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(JSON.stringify(body)).not.toMatch(/<script|<img|<svg/);
  },
);

describe("what is public tells nothing", () => {
  it("openapi.json contains no key, token, AWS address or table name", () => {
    const text = readFileSync("dist/site/openapi.json", "utf8");
    expect(text.length).toBeGreaterThan(10_000);
    const secrets =
      /[rs]k_(test|live|local)|whsec_\w|AKIA|eyJ[\w-]{10,}|amazonaws|arn:aws|odis-local|us-west|eu-central/g;
    expect(text.match(secrets) ?? []).toEqual([]);
  });

  it("the ETag of a community is the same for all callers who see the same fields", async () => {
    const params = { id: community.id };
    const [owner, stranger] = [
      await api.call(communities.show, { as: community.owner, params }),
      await api.call(communities.show, { as: { id: 77 }, params }),
    ];
    expect(owner.headers.get("etag")).toBe(stranger.headers.get("etag"));
    expect(owner.body).toEqual(stranger.body);
  });
});
