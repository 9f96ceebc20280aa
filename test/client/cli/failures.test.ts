import { expect, it } from "vitest";
import { FailedPost, failureOf, linesOf } from "../../../client/cli/failures.ts";
import { OdisProblem, SignInError } from "../../../client/odis.ts";

const problem = (status: number, code: OdisProblem["code"]) => new OdisProblem(status, { code, detail: "Why" });

it("a request that times out fails as an API that cannot be reached", () => {
  const timeout = new DOMException("Timed out", "TimeoutError");
  expect(failureOf(timeout, "https://api.example.com")).toEqual({
    code: "unreachable",
    message: "https://api.example.com cannot be reached: Timed out",
    exit_code: 4,
    api_url: "https://api.example.com",
  });
});

it("a request that is refused with 429 has the exit code of an API that cannot be reached, because it can be repeated", () => {
  expect(failureOf(problem(429, "too_many_requests"))).toMatchObject({ code: "too_many_requests", exit_code: 4 });
});

it.each([
  ["a timeout", new DOMException("Timed out", "TimeoutError")],
  ["a connection that breaks", new TypeError("fetch failed", { cause: new Error("socket hang up") })],
  ["a response that is cut off", new SyntaxError("Unexpected end of JSON input")],
  ["outcome_unknown", problem(503, "outcome_unknown")],
  ["the HTML page of a proxy", new OdisProblem(502, { detail: "It is not Odis" })],
  ["the HTML page of a proxy with status 200", new OdisProblem(200, { detail: "It is not Odis" })],
  ["too_many_requests, which says nothing about earlier attempts", problem(429, "too_many_requests")],
  ["request_in_progress, which says nothing about earlier attempts", problem(409, "request_in_progress")],
  ["person_erased, which says nothing about earlier attempts", problem(409, "person_erased")],
  ["401, which is decided before an earlier attempt is looked up", problem(401, "expired_token")],
  ["403, which is decided before an earlier attempt is looked up", problem(403, "forbidden")],
])("the key of a POST is named after %s", (_, cause) => {
  const failure = failureOf(new FailedPost("k-1", { cause }));
  expect(failure.key).toBe("k-1");
  expect(linesOf(failure).at(-1)).toBe("Repeat the command with --key k-1");
});

it.each([
  ["refused", problem(409, "nothing_to_refund")],
  ["refused with invalid fields", problem(422, "validation_failed")],
  ["not sent because nobody can be signed in", new SignInError("NotAuthorizedException", "Why")],
])("the key of a POST is not named after a request that was %s", (_, cause) => {
  const failure = failureOf(new FailedPost("k-1", { cause }));
  expect(failure).toEqual(failureOf(cause));
  expect(linesOf(failure).join()).not.toContain("--key");
});
