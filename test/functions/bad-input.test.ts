import { beforeAll, describe, expect, it } from "vitest";
import { admin, type Problem, readAnswer, startApi } from "../support/api.ts";
import { aCommunity, aMember, type GivenCommunity } from "../support/given.ts";

const api = startApi();

let community: GivenCommunity;
let path: string;
let bearer: { authorization: string };
beforeAll(async () => {
  community = await aCommunity(api.table);
  const { id } = await aMember(api.table, community);
  path = `/odis/v1/communities/${community.id}/members/${id}`;
  bearer = { authorization: `Bearer ${await api.tokenOf(admin)}` };
});

async function patch(body: string, type = "application/json") {
  const response = await api.send(path, { method: "PATCH", headers: { ...bearer, "content-type": type }, body });
  const answer = await readAnswer(response);
  return { status: answer.status, code: (answer.body as Problem).code, headers: answer.headers, body: answer.body };
}

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
    const { status, body } = await patch(`{"member":{"metadata":${metadata}}}`);
    expect(status).toBe(422);
    const errors = [expect.objectContaining({ pointer: `/member/metadata${at}`, code: "not_allowed" })];
    expect((body as Problem).errors).toEqual(errors);
  });

  it("a Content-Type with a charset is accepted", async () => {
    expect(await patch('{"member":{}}', "application/json; charset=utf-8")).toMatchObject({ status: 200 });
  });

  it("a caller without the right gets 403 even if the body is invalid", async () => {
    const headers = { authorization: `Bearer ${await api.tokenOf({ id: 99 })}`, "content-type": "text/plain" };
    const response = await api.send(path, { method: "PATCH", headers, body: "{" });
    expect(response.status).toBe(403);
  });

  it("an unreadable body is rejected before a missing record, and a missing record before an invalid body", async () => {
    const missing = path.replace(/\d+$/, "4711");
    const send = (body: string) =>
      api.send(missing, { method: "PATCH", headers: { ...bearer, "content-type": "application/json" }, body });
    expect((await send("{")).status).toBe(400);
    expect((await send('{"nobody":1}')).status).toBe(404);
  });
});

describe("a list in the place of an object", () => {
  it.each([
    ["PATCH", "", { member: [] }, ["/member"]],
    [
      "PATCH",
      "",
      { member: { metadata: [1], shipping_address: [] } },
      ["/member/shipping_address", "/member/metadata"],
    ],
    ["POST", "/import", { members: [{}, [], [null]] }, ["/members/1", "/members/2"]],
  ])("a list in place of an object is refused with a pointer: %s %s %j", async (method, action, body, pointers) => {
    const response = await api.send(action ? path.replace(/\/\d+$/, action) : path, {
      method,
      headers: { ...bearer, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const answer = await readAnswer(response);
    expect(answer.status).toBe(422);
    const errors = pointers.map((pointer) => ({ pointer, code: "wrong_type", message: "must be an object" }));
    expect((answer.body as Problem).errors).toEqual(errors);
  });
});

it("a record of an import with lists in place of objects is refused with their pointers", async () => {
  const response = await api.send(path.replace(/\/\d+$/, "/import"), {
    method: "POST",
    headers: { ...bearer, "content-type": "application/json" },
    body: JSON.stringify({ members: [{ user: [], metadata: [1] }] }),
  });
  const { status, body } = await readAnswer(response);
  const { data } = body as { data: { errors: { pointer: string; code: string }[] }[] };
  expect({ status, pointers: data[0]?.errors.map(({ pointer, code }) => `${pointer} ${code}`) }).toEqual({
    status: 200,
    pointers: ["/members/0/user wrong_type", "/members/0/metadata wrong_type"],
  });
});

describe("what no route takes", () => {
  it.each([
    ["GET", "/odis/v1/nothing", 404, "route_not_found", null],
    ["GET", "/health/", 404, "route_not_found", null],
    ["PUT", "/health", 405, "method_not_allowed", "GET"],
    ["POST", "/odis/v1/communities/1/members/2", 405, "method_not_allowed", "GET, PATCH"],
    ["GET", "/odis/v1/communities/1/members/2/block", 405, "method_not_allowed", "POST"],
    ["PUT", "/odis/v1/communities/1/members/import", 405, "method_not_allowed", "POST"],
  ])(
    "a request of an unknown path or method gets a problem document: %s %s",
    async (method, unknown, status, code, allow) => {
      const { headers, body, ...answer } = await readAnswer(await api.send(unknown, { method }));
      expect({ ...answer, code: (body as Problem).code, allow: headers.get("allow") }).toEqual({ status, code, allow });
      expect(headers.get("content-type")).toBe("application/problem+json");
    },
  );
});

describe("a problem", () => {
  it("a problem document has everything that a program needs, and no internal details", async () => {
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
});

describe("a query string", () => {
  const list = (search: string) =>
    api.send(`/odis/v1/communities/${community.id}/members?${search}`, { headers: bearer });

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
    const { status, body } = await readAnswer(await list(search));
    expect(status).toBe(422);
    expect((body as Problem).errors).toContainEqual(expect.objectContaining({ parameter }));
  });

  it.each([
    ["GET", "?tier=12&state=canceled", ["tier", "state"]],
    ["GET", "?per=1&__proto__=1", ["__proto__"]],
    ["GET", "?Per=1", ["Per"]],
  ])("a query string with unknown parameters is refused with each of them: %s %s", async (_, search, names) => {
    const { status, body } = await readAnswer(await list(search.slice(1)));
    const errors = names.map((parameter) => ({
      parameter,
      code: "unknown_property",
      message: "is not a parameter of this route",
    }));
    expect({ status, errors: (body as Problem).errors }).toEqual({ status: 422, errors });
  });

  it("unknown query parameters are refused on all versioned routes, and ignored on others", async () => {
    const { status, body } = await readAnswer(await api.send(`${path}?debug=1`, { headers: bearer }));
    const errors = [expect.objectContaining({ parameter: "debug", code: "unknown_property" })];
    expect({ status, errors: (body as Problem).errors }).toEqual({ status: 422, errors });
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
    ["filter=mine", "not_one_of"],
    [`query=${"x".repeat(101)}`, "too_long"],
  ])("an invalid query string has one error with the code of the rule: %s is %s", async (search, code) => {
    const { body } = await readAnswer(await api.send(`/api/v1/communities/explore?${search}`));
    expect((body as Problem).errors?.map((error) => error.code)).toEqual([code]);
  });
});
