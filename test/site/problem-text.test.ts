import { expect, it } from "vitest";
import { OdisProblem } from "../../client/odis.ts";
import { fieldErrors } from "../../site/console/src/data/problem-text.ts";

it.each([
  [{ parameter: "from" }, "from"],
  [{ pointer: "/member/shipping_address/line1" }, "line1"],
  [{ pointer: "/benefit/tier_ids/3" }, "tier_ids"],
  [{ pointer: "/member/metadata/notes" }, "notes"],
  [{ pointer: "/member/metadata/shirt" }, "value"],
  [{ pointer: "/member/metadata/shirt/sizes/0" }, "value"],
  [{ pointer: "/member/metadata" }, "value"],
])("the error at %j is shown at the field %s, as a sentence", (place, field) => {
  const errors = [{ ...place, code: "too_long" as const, message: "must have at most 50 characters" }];
  const shown = fieldErrors(new OdisProblem(422, { code: "validation_failed", errors }));
  expect([...shown]).toEqual([[field, "Must have at most 50 characters."]]);
});

it("an error that is no problem of the API has no fields", () => {
  expect(fieldErrors(new TypeError("fetch failed")).size).toBe(0);
});
