import * as v from "valibot";
import { expect, it } from "vitest";
import { validate } from "#lib/http/validation.ts";
import type { Problem } from "#lib/problem.ts";
import { issueCodes } from "#lib/problem.ts";
import { apiRoutes } from "../../support/api.ts";

/** Values that few fields take. */
const oddities = [
  undefined,
  null,
  true,
  -1,
  0,
  0.1,
  1.5,
  2 ** 53,
  1e300,
  "",
  " ",
  "\ud800",
  "x".repeat(70_000),
  "-1",
  "1.5",
  [],
  {},
  [{}],
];

type Schema = { readonly entries?: Readonly<Record<string, Schema>>; readonly wrapped?: Schema };

/** Objects with one odd value in each place of a schema in turn. */
function* odd(schema: Schema): Generator {
  yield* oddities;
  if (schema.wrapped) yield* odd(schema.wrapped);
  yield { surplus: 1 };
  for (const [name, entry] of Object.entries(schema.entries ?? {}))
    for (const value of odd(entry)) yield { [name]: value };
}

const schemas = apiRoutes.flatMap(({ key, body, query }) => [
  ...(body && body !== "raw" ? [[`the body of ${key}`, "body", body] as const] : []),
  ...(query ? [[`the query of ${key}`, "query", query] as const] : []),
]);

it.each(schemas)("invalid values in %s get a documented code and a message of Odis", (_, place, schema) => {
  for (const value of odd(schema as Schema))
    try {
      validate(place, schema, value);
    } catch (error) {
      for (const { code, message } of (error as Problem).errors ?? []) {
        expect(issueCodes).toContain(code);
        expect(message).toMatch(/^(must|is|cannot) /);
        expect(message).not.toMatch(/Expected|received|undefined|null/);
      }
      expect((error as Problem).code).toBe("validation_failed");
    }
});

it.each([
  [2 ** 53, "too_large"],
  [-(2 ** 53), "too_small"],
  [0.5, "wrong_type"],
  ["1", "wrong_type"],
])("the value %j of an integer gets the code %s", (value, code) => {
  const schema = v.strictObject({ count: v.pipe(v.number(), v.safeInteger()) });
  let errors: Problem["errors"];
  try {
    validate("body", schema, { count: value });
  } catch (error) {
    ({ errors } = error as Problem);
  }
  expect(errors).toMatchObject([{ pointer: "/count", code }]);
});

it.each([
  ["lists", []],
  ["numbers", 1],
])("a body of 64 KiB with %s in place of objects gets its errors before the request ends", (_, value) => {
  const schema = v.strictObject({ members: v.array(v.strictObject({ id: v.number() })) });
  const members = Array.from({ length: 32_000 }, () => value);
  let errors: Problem["errors"];
  try {
    validate("body", schema, { members });
  } catch (error) {
    ({ errors } = error as Problem);
  }
  expect(errors).toHaveLength(members.length);
});
