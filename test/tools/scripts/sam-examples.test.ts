import * as v from "valibot";
import { expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { examplesOf } from "../../../tools/scripts/sam/examples.ts";

const uuid = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001";
const found = {
  community: 1,
  producer: uuid,
  member: 1,
  charge: "ch_1",
  paying: 2,
  alsoPaying: 3,
  changing: 6,
  blocked: 4,
  canceling: 5,
  tier: 11,
  otherTier: 12,
  unusedTier: 14,
  benefit: 1,
  otherBenefit: 2,
  archivedBenefit: 3,
  destination: 61,
  otherDestination: 62,
  teamMember: 7,
  otherTeamMember: 8,
  invitation: 81,
  otherInvitation: 82,
  apiKey: 91,
  otherApiKey: 92,
  brand: uuid,
  otherBrand: uuid,
};
const token = "eyJ";
const local = {
  api_url: "http://127.0.0.1:3000",
  tokens: { admin: token, editor: token, owner: token, member: token, stranger: token },
  users: { owner: 3, member: 5 },
  producers: [uuid] as [string],
  environment: {},
};
const examples = examplesOf(found, local, { body: "{}", signature: "" });

it("there is one example of each route", () => {
  const keys = examples.map(({ route: { method, path } }) => (path === "$default" ? path : `${method} ${path}`));
  expect(keys.toSorted()).toEqual(routes.map(({ key }) => key).toSorted());
});

it.each(examples)(
  "the example of $route.method $route.path has a valid query and body",
  ({ route, query = {}, body: given }) => {
    const { query: querySchema = v.unknown(), body = v.unknown() } = route;
    expect(v.is(querySchema, query)).toBe(true);
    expect(body === "raw" || v.is(body, given)).toBe(true);
  },
);
