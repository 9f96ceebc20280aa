import { beforeAll, describe, expect, it } from "vitest";
import * as brands from "#lib/store/brands.ts";
import { type As, admin, editor, type Problem, startApi } from "../support/api.ts";
import { aBenefit, aCommunity, aMember, type GivenCommunity, givenBy } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

const producer = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0077";
const missing = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0078";

let community: GivenCommunity;
let other: GivenCommunity;
let memberId: number;
let benefitId: number;
let brandId: string;
beforeAll(async () => {
  community = await aCommunity(api.table);
  other = await aCommunity(api.table);
  ({ id: memberId } = await aMember(api.table, community));
  ({ id: benefitId } = await aBenefit(api.table, community));
  ({ id: brandId } = await brands.add(api.table, { name: "Smoke", producer_ids: [producer] }, givenBy()));
});

type Request = { readonly as?: As; readonly body?: object; readonly authorization?: string };

/** The problem document that a request gets, such as `PATCH /odis/v1/tiers/1`. */
async function problemOf(request: string, { as, body, authorization }: Request): Promise<Problem> {
  const [method = "", path = ""] = request.split(" ");
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return (await send({ as, method, path, body, headers })).body as Problem;
}

describe("the detail of a 403", () => {
  it.each([
    ["the list of members", "manager or support", () => `GET /odis/v1/communities/${community.id}/members`],
    ["a member", "manager or support", () => `GET /odis/v1/communities/${community.id}/members/${memberId}`],
    ["an edit of the community", "manager", () => `PATCH /odis/v1/communities/${community.id}`],
    ["the deletion of a tier", "manager", () => `DELETE /odis/v1/tiers/${community.tier.id}`],
    ["a benefit", "manager or support or viewer", () => `GET /odis/v1/benefits/${benefitId}`],
  ])(
    "the 403 for the owner of another community says who has the right: %s, the role %s",
    async (_, roles, request) => {
      const { code, detail } = await problemOf(request(), { as: other.owner });
      expect({ code, detail }).toEqual({
        code: "forbidden",
        detail: `Only the owner of community ${community.id}, an admin, or a member of its team with the role ${roles} may do this`,
      });
    },
  );

  it("the 403 says that the team is for the owner or an admin", async () => {
    const { detail } = await problemOf(`GET /odis/v1/communities/${community.id}/team`, { as: other.owner });
    expect(detail).toBe(`Only the owner of community ${community.id} or an admin may do this`);
  });

  it("the 403 for an owner says that the route is for editors, or for admins", async () => {
    const create = { as: community.owner, body: {} };
    const brand = await problemOf(`POST /odis/v1/producers/${producer}/brands`, create);
    expect(brand.detail).toBe("Only an editor or an admin may do this");
    expect((await problemOf("POST /odis/v1/communities", create)).detail).toBe("Only an admin may do this");
  });
});

describe("the detail of a 404", () => {
  it.each<[string, () => string, string]>([
    ["a community", () => "/odis/v1/communities/4711", "There is no community 4711"],
    ["the community of a list", () => "/odis/v1/communities/4711/members", "There is no community 4711"],
    ["a tier", () => "/odis/v1/tiers/4711", "There is no tier 4711"],
    ["a benefit", () => "/odis/v1/benefits/4711", "There is no benefit 4711"],
    ["a user", () => "/odis/v1/users/4711/data", "There is no user 4711"],
    ["an event destination", () => "/odis/v1/event_destinations/4711", "There is no event destination 4711"],
    [
      "a member of another community",
      () => `/odis/v1/communities/${other.id}/members/${memberId}`,
      "There is no member {member} of community {other}",
    ],
    [
      "a brand of another producer",
      () => `/odis/v1/producers/${missing}/brands/${brandId}`,
      `There is no brand {brand} of producer ${missing}`,
    ],
  ])("a 404 says that the record does not exist: %s", async (_, path, detail) => {
    const expected = detail
      .replace("{member}", String(memberId))
      .replace("{other}", String(other.id))
      .replace("{brand}", brandId);
    const problem = await problemOf(`GET ${path()}`, { as: admin });
    expect({ code: problem.code, detail: problem.detail }).toEqual({ code: "not_found", detail: expected });
  });

  it("the 404 for somebody who is not in a team names the person", async () => {
    const path = `/odis/v1/communities/${community.id}/team/4711`;
    const { detail } = await problemOf(`DELETE ${path}`, { as: community.owner });
    expect(detail).toBe(`There is no person 4711 in the team of community ${community.id}`);
  });

  it.each([
    ["a slug", "/odis/v1/communities/mezcal-circle", "The id of a community is a positive integer"],
    ["a UUID", `/odis/v1/communities/${missing}/members`, "The id of a community is a positive integer"],
    ["zero", "/odis/v1/communities/1/members/0", "The id of a member is a positive integer"],
    ["an integer for a UUID", "/odis/v1/producers/5/brands", "The id of a producer is a UUID"],
  ])("the 404 for %s in place of an id describes the format of the id", async (_, path, detail) => {
    const problem = await problemOf(`GET ${path}`, { as: admin });
    expect({ code: problem.code, detail: problem.detail }).toEqual({ code: "not_found", detail });
  });
});

it.each<[string, () => string, (tierIds: readonly number[]) => object, string]>([
  [
    "in a new benefit",
    () => `POST /odis/v1/communities/${community.id}/benefits`,
    (tier_ids) => ({ benefit: { name: "Tasting", tier_ids } }),
    "/benefit/tier_ids/1",
  ],
  [
    "in an edited benefit",
    () => `PATCH /odis/v1/benefits/${benefitId}`,
    (tier_ids) => ({ benefit: { tier_ids } }),
    "/benefit/tier_ids/1",
  ],
  [
    "in an assignment",
    () => `POST /odis/v1/benefits/${benefitId}/assign_to_tiers`,
    (tier_ids) => ({ tier_ids }),
    "/tier_ids/1",
  ],
])("an unknown tier %s is reported with its pointer in the body", async (_, request, bodyOf, pointer) => {
  const problem = await problemOf(request(), { as: admin, body: bodyOf([community.tier.id, 4711]) });
  expect(problem).toMatchObject({
    code: "unknown_tier",
    detail: "Tier 4711 does not belong to this community",
    errors: [{ pointer, code: "unknown_reference", message: "must be a tier of the community" }],
  });
});

describe("the errors of an invalid field", () => {
  it("an invalid URL is reported as one error", async () => {
    const body = { community: { avatar_url: "nonsense" } };
    const { errors } = await problemOf(`PATCH /odis/v1/communities/${community.id}`, { as: admin, body });
    expect(errors).toEqual([{ pointer: "/community/avatar_url", code: "invalid_format", message: "must be a URL" }]);
  });

  it("an invalid redirect URL is reported like other URLs", async () => {
    const body = { return_url: "nonsense" };
    const path = `/odis/v1/communities/${community.id}/billing_portal_sessions`;
    const { detail } = await problemOf(`POST ${path}`, { as: community.owner, body });
    expect(detail).toBe("return_url must be a URL");
  });

  it.each<[string, () => string, object, string, string]>([
    [
      "a field of the record",
      () => `PATCH /odis/v1/communities/${community.id}/members/${memberId}`,
      { member: { status: "active" } },
      "/member/status",
      "read_only",
    ],
    [
      "the id of a new record",
      () => `POST /odis/v1/communities/${community.id}/benefits`,
      { benefit: { name: "Tasting", id: 5 } },
      "/benefit/id",
      "read_only",
    ],
    [
      "a field of no record",
      () => `PATCH /odis/v1/communities/${community.id}/members/${memberId}`,
      { member: { nonsense: 1 } },
      "/member/nonsense",
      "unknown_property",
    ],
  ])("%s in a body has exactly one error", async (_, request, body, pointer, code) => {
    const { errors } = await problemOf(request(), { as: admin, body });
    expect(errors?.map((error) => [error.pointer, error.code])).toEqual([[pointer, code]]);
  });
});

it("the detail of a problem names the list with the invalid item", async () => {
  const body = { brand: { name: "Smoke", producer_ids: ["nonsense"] } };
  const { detail } = await problemOf(`POST /odis/v1/producers/${producer}/brands`, { as: editor, body });
  expect(detail).toBe("producer_ids[0] must be a UUID");
});

it.each([
  ["no token after the scheme", "Bearer ", "missing_token", "The Authorization header has no token after Bearer"],
  ["another scheme", "Basic YTpi", "invalid_token", "The Authorization header must be: Bearer <access token>"],
  ["what is no JWT", "Bearer abc", "invalid_token", "The token is not a JWT"],
])("the 401 for %s has a reason", async (_, authorization, code, detail) => {
  for (const path of ["/odis/v1/me", `/odis/v1/communities/${community.id}`]) {
    const problem = await problemOf(`GET ${path}`, { authorization });
    expect({ status: problem.status, code: problem.code, detail: problem.detail }).toEqual({
      status: 401,
      code,
      detail,
    });
  }
});
