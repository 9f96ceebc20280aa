import { expect, it } from "vitest";
import { validationFailed } from "#lib/problem.ts";

it.each([
  [{ pointer: "/amount_cents" }, "amount_cents must be known"],
  [{ pointer: "/benefit/tier_ids/1" }, "tier_ids[1] must be known"],
  [{ pointer: "/member/metadata/" }, '"" must be known'],
  [{ pointer: "" }, "The body must be known"],
  [{ parameter: "from" }, "from must be known"],
])("the detail of an error at %j names its field", (place, detail) => {
  expect(validationFailed([{ ...place, code: "invalid_format", message: "must be known" }]).message).toBe(detail);
});
