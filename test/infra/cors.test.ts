import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { operations } from "../support/openapi.ts";
import { resources } from "./prod.ts";

const sorted = (names: readonly string[]) => [...new Set(names.map((name) => name.toLowerCase()))].toSorted();

const read = sorted([
  ...operations.flatMap(({ headers }) => headers),
  ...operations.flatMap(({ security = [] }) => (security.length > 0 ? "authorization" : [])),
  ...operations.flatMap(({ requestBody }) => (requestBody ? "content-type" : [])),
]);
const answered = sorted(operations.flatMap(({ responseHeaders }) => Object.values(responseHeaders).flat()));

const [api] = Object.values(
  resources<{ readonly CorsConfiguration: Readonly<Record<string, readonly string[]>> }>("AWS::ApiGatewayV2::Api"),
);
const { AllowHeaders = [], AllowMethods = [], ExposeHeaders = [] } = api?.Properties.CorsConfiguration ?? {};

it("the gateway lets pages of other origins use the methods of the contract, and no others", () => {
  expect(sorted(AllowMethods)).toEqual(sorted(operations.map(({ method }) => method)));
});

it("the gateway lets pages of other origins send each request header that a route reads, and no others", () => {
  expect(sorted(AllowHeaders)).toEqual(read);
});

it("the gateway lets pages of other origins read each response header that a route returns, and no others", () => {
  expect(sorted(ExposeHeaders)).toEqual(answered);
});

it("docs/api.md lists the headers that pages of other origins may send and read", () => {
  const text = readFileSync("docs/api.md", "utf8").replace(/\s+/g, " ");
  const [, allowed = "", exposed = ""] =
    /Allowed request headers are (.*?)\. Exposed headers are (.*?)\./.exec(text) ?? [];
  const named = (list: string) => sorted(Array.from(list.matchAll(/`([^`]+)`/g), ([, name = ""]) => name));
  expect([named(allowed), named(exposed)]).toEqual([read, answered]);
});
