import { beforeAll, describe, expect, it } from "vitest";
import { admin, startApi } from "../support/api.ts";
import { aCommunity, aMember } from "../support/given.ts";
import { rawRequests } from "../support/raw.ts";

const api = startApi();
const send = rawRequests(api);

let members: string;
let path: string;
beforeAll(async () => {
  const community = await aCommunity(api.table);
  members = `/odis/v1/communities/${community.id}/members`;
  path = `${members}/${(await aMember(api.table, community)).id}`;
});

const patch = (body: unknown, type = "application/json") =>
  send({ as: admin, method: "PATCH", path, body, headers: { "content-type": type } });

const nested = (levels: number) => `{"member":{"metadata":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}}`;

describe("a body", () => {
  it.each([
    ["that is not JSON", "{", 400, "malformed_json"],
    ["that is an array", "[]", 400, "malformed_json"],
    ["that is a string", '"member"', 400, "malformed_json"],
    ["that is null", "null", 400, "malformed_json"],
    ["with a __proto__ key", '{"member":{"__proto__":{"admin":true}}}', 422, "validation_failed"],
    ["with a constructor key", '{"member":{"constructor":{"admin":true}}}', 422, "validation_failed"],
    ["with a prototype key", '{"prototype":1,"member":{}}', 422, "validation_failed"],
    ["of a thousand brackets", nested(1_000), 422, "validation_failed"],
    ["of thirty thousand brackets", nested(30_000), 400, "malformed_json"],
    ["over 64 KiB", JSON.stringify({ member: { metadata: { a: "x".repeat(66_000) } } }), 413, "body_too_large"],
    ["of a megabyte", "x".repeat(1_000_000), 413, "body_too_large"],
    ["without its record", "{}", 422, "validation_failed"],
    ["with a lone surrogate", '{"member":{"metadata":{"a":"\\ud800"}}}', 422, "validation_failed"],
  ])("a body %s is refused", async (_, body, status, code) => {
    expect(await patch(body)).toMatchObject({ status, code });
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/merge-patch+json",
    "application/jsonx",
    "application/xml",
    "multipart/form-data; boundary=b",
  ])("a body of type %s is refused with 415", async (type) => {
    expect(await patch('{"member":{}}', type)).toMatchObject({ status: 415, code: "unsupported_media_type" });
  });

  it.each([
    ['{"constructor":"keep me"}', "/constructor"],
    ['{"prototype":1}', "/prototype"],
    ['{"__proto__":{"a":1}}', "/__proto__"],
    ['{"":1}', "/"],
    ['{"nest":{"constructor":"keep me"}}', "/nest/constructor"],
    ['{"constructor":{"prototype":1}}', "/constructor"],
    ['{"n":{"":1}}', "/n/"],
  ])("metadata %s is refused with a pointer to the key", async (metadata, at) => {
    const { status, errors } = await patch(`{"member":{"metadata":${metadata}}}`);
    expect(status).toBe(422);
    expect(errors).toEqual([expect.objectContaining({ pointer: `/member/metadata${at}`, code: "not_allowed" })]);
  });

  it("a Content-Type with a charset is accepted", async () => {
    expect(await patch('{"member":{}}', "application/json; charset=utf-8")).toMatchObject({ status: 200 });
  });

  it("a caller without the right gets 403 even if the body is invalid", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await send({ as: { id: 99 }, method: "PATCH", path, headers, body: "{" })).toMatchObject({ status: 403 });
  });

  it("an unreadable body is rejected before a missing record, and a missing record before an invalid body", async () => {
    const request = { as: admin, method: "PATCH", path: `${members}/4711` };
    expect(await send({ ...request, body: "{" })).toMatchObject({ status: 400 });
    expect(await send({ ...request, body: '{"nobody":1}' })).toMatchObject({ status: 404 });
  });
});

it.each<[string, () => string, object, string[]]>([
  ["PATCH", () => path, { member: [] }, ["/member"]],
  [
    "PATCH",
    () => path,
    { member: { metadata: [1], shipping_address: [] } },
    ["/member/shipping_address", "/member/metadata"],
  ],
  ["POST", () => `${members}/import`, { members: [{}, [], [null]] }, ["/members/1", "/members/2"]],
])("a list in place of an object is refused with a pointer: %s %s %j", async (method, pathOf, body, pointers) => {
  const { status, errors } = await send({ as: admin, method, path: pathOf(), body });
  expect(status).toBe(422);
  expect(errors).toEqual(pointers.map((pointer) => ({ pointer, code: "wrong_type", message: "must be an object" })));
});

it("each element of a list that is no object is named, whatever it is instead", async () => {
  const request = { as: admin, method: "POST", path: `${members}/import`, body: { members: [{}, null, "x", [], 5] } };
  const { status, errors } = await send(request);
  expect(status).toBe(422);
  expect(errors?.map(({ pointer }) => pointer).toSorted()).toEqual([1, 2, 3, 4].map((n) => `/members/${n}`));
});

it("a list in place of an object does not hide what is wrong with other fields", async () => {
  const { errors } = await patch({ member: { metadata: 5, shipping_address: [], nobody: 1 } });
  expect(errors?.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([
    "/member/shipping_address wrong_type",
    "/member/metadata wrong_type",
    "/member/nobody unknown_property",
  ]);
});

it("an import record that has lists in place of objects is refused with their pointers", async () => {
  const day = "2026-01-01T00:00:00Z";
  const times = { created_at: day, current_period_start: day, current_period_end: day };
  const imported = { members: [{ user: [], metadata: [1], tier_id: 11, status: "active", ...times }] };
  const { status, body } = await send({ as: admin, method: "POST", path: `${members}/import`, body: imported });
  const { data } = body as { data: { errors: { pointer: string; code: string }[] }[] };
  expect({ status, pointers: data[0]?.errors.map(({ pointer, code }) => `${pointer} ${code}`) }).toEqual({
    status: 200,
    pointers: ["/members/0/user wrong_type", "/members/0/metadata wrong_type"],
  });
});

it.each([
  ["GET", "/odis/v1/nothing", 404, "route_not_found", null],
  ["GET", "/health/", 404, "route_not_found", null],
  ["PUT", "/health", 405, "method_not_allowed", "GET"],
  ["POST", "/odis/v1/communities/1/members/2", 405, "method_not_allowed", "GET, PATCH"],
  ["GET", "/odis/v1/communities/1/members/2/block", 405, "method_not_allowed", "POST"],
  ["PUT", "/odis/v1/communities/1/members/import", 405, "method_not_allowed", "POST"],
])(
  "a request for an unknown path or method gets a problem document: %s %s",
  async (method, unknown, status, code, allow) => {
    const { headers, ...answer } = await send({ method, path: unknown });
    expect(answer).toMatchObject({ status, code });
    expect(headers.get("allow")).toBe(allow);
    expect(headers.get("content-type")).toBe("application/problem+json");
  },
);

it("a problem document has its documented members and no internal details", async () => {
  const { body, headers } = await patch('{"member":{"metadata":{"blocked":true}}}');
  expect(body).toEqual({
    type: expect.stringMatching(/\/docs\/problems#validation_failed$/) as string,
    title: "The request is not valid",
    status: 422,
    code: "validation_failed",
    detail: "blocked is read-only",
    request_id: headers.get("x-request-id"),
    errors: [{ pointer: "/member/metadata/blocked", code: "read_only", message: "is read-only" }],
  });
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

describe("a query string", () => {
  const list = (search: string) => send({ as: admin, path: `${members}?${search}` });

  it.each([
    ["per=0", "per"],
    ["per=-1", "per"],
    ["per=1.5", "per"],
    ["per=ten", "per"],
    ["per=", "per"],
    ["per=1&per=2", "per"],
    ["status=Active", "status"],
    ["is_blocked=1", "is_blocked"],
    ["tier_id=0", "tier_id"],
    ["sort=name", "sort"],
    [`query=${"x".repeat(65)}`, "query"],
  ])("a query string with an invalid value is refused with the parameter: %s", async (search, parameter) => {
    const { status, errors } = await list(search);
    expect(status).toBe(422);
    expect(errors).toContainEqual(expect.objectContaining({ parameter }));
  });

  it.each([
    ["GET", "?tier=12&state=canceled", ["tier", "state"]],
    ["GET", "?per=1&__proto__=1", ["__proto__"]],
    ["GET", "?Per=1", ["Per"]],
  ])("a query string with unknown parameters is refused with each of them: %s %s", async (_, search, names) => {
    const { status, errors } = await list(search.slice(1));
    const error = { code: "unknown_property", message: "is not a parameter of this route" };
    expect({ status, errors }).toEqual({ status: 422, errors: names.map((parameter) => ({ parameter, ...error })) });
  });

  it("unknown query parameters are refused on all versioned routes, and ignored on others", async () => {
    const { status, errors } = await send({ as: admin, path: `${path}?debug=1` });
    const error = expect.objectContaining({ parameter: "debug", code: "unknown_property" }) as object;
    expect({ status, errors }).toEqual({ status: 422, errors: [error] });
    expect((await patch("{}")).status).toBe(422);
    expect((await api.send("/health?debug=1")).status).toBe(200);
    expect((await api.send("/api/v1/communities/explore?debug=1")).status).toBe(422);
  });

  it.each([
    ["page=0", "too_small"],
    ["page=-1", "too_small"],
    ["page=1.5", "wrong_type"],
    ["page=ten", "wrong_type"],
    ["page=99999999999999999999", "too_large"],
    ["page=1&page=2", "duplicate"],
    ["per=0", "too_small"],
    ["per=x", "wrong_type"],
    ["filter=mine", "not_one_of"],
    ["filter=", "not_one_of"],
    ["query=a&query=b", "duplicate"],
    [`query=${"x".repeat(101)}`, "too_long"],
  ])("a query string with %s has one error, with the code %s", async (search, code) => {
    const { errors } = await send({ path: `/api/v1/communities/explore?${search}` });
    expect(errors?.map((error) => error.code)).toEqual([code]);
  });
});
