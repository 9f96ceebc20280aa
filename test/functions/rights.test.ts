import { beforeAll, describe, expect, it } from "vitest";
import * as brands from "#lib/store/brands.ts";
import { type As, admin, apiRoutes, editor, type Problem, pathOf, startApi } from "../support/api.ts";
import { aMember, givenBy } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";
import {
  apiKeys,
  aScene,
  cases,
  expectedOf,
  expectedOfKey,
  mayCall,
  nothing,
  type Place,
  people,
  placesOf,
  requestFor,
  resultOf,
  type Who,
} from "../support/rights.ts";

const api = startApi();
const send = rawRequests(api);

it("the table of rights names exactly the routes of the API", () => {
  expect(Object.keys(mayCall).toSorted()).toEqual(cases.map(({ name }) => name).toSorted());
});

/** An id that no record has, also on a stage that other tests use. */
const nobody = 9_007_199_254_740_000;

describe("every route for every caller", () => {
  let callers: Readonly<Record<Who, As | undefined>>;
  let paramsOf: (area: string, place: Place, path: string) => Readonly<Record<string, unknown>>;
  let own: Awaited<ReturnType<typeof aScene>>;
  beforeAll(async () => {
    process.env.STRIPE_SECRET ??= JSON.stringify({ secret_key: "sk_test_rights", webhook_secret: "whsec_rights" });
    own = await aScene(api.table);
    const other = await aScene(api.table);
    const producer_id = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0007";
    const brand = await brands.add(api.table, { name: "Smoke", producer_ids: [producer_id] }, givenBy());
    callers = {
      anonymous: undefined,
      stranger: { id: 77 },
      member: own.member.user,
      other_owner: other.community.owner,
      ...own.roles,
      owner: own.community.owner,
      editor,
      admin,
    };
    paramsOf = (area, place, path) => {
      const params = {
        producer_id,
        ...(place === "other" ? other : own).paramsOf(area),
        ...(area === "brands" && { id: brand.id }),
      };
      if (place !== "none") return params;
      if (area === "brands") return { ...params, id: "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0000" };
      if (path.includes("{user_id}")) return { ...params, user_id: nobody };
      return path.includes("{id}") ? { ...params, id: nobody } : { ...params, community_id: nobody };
    };
  });

  it("each of the 2,270 cells of routes, callers and records is decided as the table says", async () => {
    const wrong: string[] = [];
    let cells = 0;
    for (const { name, route, isCsv } of cases)
      for (const place of placesOf(route))
        for (const who of people) {
          cells++;
          const { query, headers } = requestFor(route, isCsv);
          const path = pathOf(route, paramsOf(route.area, place, route.path));
          const { status } = await send({
            as: callers[who],
            method: route.method,
            path: query === "" ? path : `${path}?${query}`,
            headers,
            ...(route.method !== "GET" && { body: JSON.stringify(nothing) }),
          });
          const expected = expectedOf(name, route, who, place);
          if (resultOf(status) !== expected || status >= 500)
            wrong.push(`${name}, ${place} record, ${who}: ${status} instead of ${expected}`);
        }
    expect(wrong).toEqual([]);
    expect(cells).toBe(2270);
  });

  it("each of the 681 cells of routes, API keys and records is decided as the table says", async () => {
    const wrong: string[] = [];
    let cells = 0;
    for (const { name, route, isCsv } of cases)
      for (const place of placesOf(route))
        for (const who of apiKeys) {
          cells++;
          const { query, headers } = requestFor(route, isCsv);
          const path = pathOf(route, paramsOf(route.area, place, route.path));
          const { status, code } = await send({
            method: route.method,
            path: query === "" ? path : `${path}?${query}`,
            headers: { ...headers, authorization: `Bearer ${own.keys[who]}` },
            ...(route.method !== "GET" && { body: JSON.stringify(nothing) }),
          });
          const expected = expectedOfKey(name, route, who, place);
          if (resultOf(status) !== expected || status >= 500 || (status === 403 && code !== "forbidden"))
            wrong.push(`${name}, ${place} record, ${who}: ${status} instead of ${expected}`);
        }
    expect(wrong).toEqual([]);
    expect(cells).toBe(681);
  });

  const ofMembers = apiRoutes.filter(({ path }) => path.includes("/members/{id}"));
  it.each(ofMembers.map((route) => ({ key: route.key, route })))(
    "no role covers the caller's own member record: $key",
    async ({ route }) => {
      for (const role of ["viewer", "support", "manager"] as const) {
        const as = own.roles[role];
        const member = await aMember(api.table, own.community, { user: { id: as.id } }).catch(() => undefined);
        ownRecords.set(role, member?.id ?? ownRecords.get(role) ?? 0);
        const { status, code } = await send({
          as,
          method: route.method,
          path: pathOf(route, { community_id: own.community.id, id: ownRecords.get(role) }),
          ...(route.method !== "GET" && { headers: { "if-match": '"none"' }, body: JSON.stringify(nothing) }),
        });
        expect({ role, status, code }).toEqual({ role, status: 403, code: "forbidden" });
      }
    },
  );
  const ownRecords = new Map<string, number>();

  it("a person in the team may remove themselves", async () => {
    const path = (userId: number) => `/odis/v1/communities/${own.community.id}/team/${userId}`;
    const request = { method: "DELETE", headers: { "if-match": '"none"' } };
    expect((await send({ ...request, as: { id: own.user_id }, path: path(own.user_id) })).status).toBe(412);
  });

  it("owners and managers may not import Stripe ids or user ids, which the refusal names, and admins may", async () => {
    const record = { user: { email: "x@example.com" }, tier_id: own.community.tier.id, status: "active" };
    const period = { current_period_start: "2026-10-01T00:00:00.000Z", current_period_end: "2026-11-01T00:00:00.000Z" };
    const importing = async (as: As | undefined, over: object) => {
      const body = { members: [{ ...record, created_at: "2099-05-01T00:00:00.000Z", ...period, ...over }] };
      const path = `/odis/v1/communities/${own.community.id}/members/import`;
      const { status, body: problem } = await send({ as, method: "POST", path, body: JSON.stringify(body) });
      return { status, ...(status === 403 && { detail: (problem as Problem).detail }) };
    };
    const refusal = (field: string) => ({ status: 403, detail: `Only an admin may import ${field}` });
    for (const as of [callers.owner, callers.manager]) {
      expect(await importing(as, {})).toEqual({ status: 200 });
      expect(await importing(as, { stripe_customer_id: "cus_1" })).toEqual(refusal("stripe_customer_id"));
      const subscription = { stripe_customer_id: "cus_1", stripe_subscription_id: "sub_1" };
      expect(await importing(as, subscription)).toEqual(refusal("stripe_customer_id"));
      expect(await importing(as, { user: { id: 3, email: "x@example.com" } })).toEqual(refusal("user.id"));
    }
    expect(await importing(callers.admin, { user: { id: 3, email: "x@example.com" } })).toEqual({ status: 200 });
  });
});
