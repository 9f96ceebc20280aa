import { expect, it } from "vitest";
import type { Movement } from "../../client/schema.ts";
import { choices, countText, movementText } from "../../site/console/src/data/movements.ts";

const monthly = (kind: NonNullable<Movement["monthly"]>["kind"], before_cents: number, after_cents: number) => ({
  kind,
  before_cents,
  after_cents,
});

it.each([
  ["begun", null, "Got access"],
  ["ended", null, "Lost access"],
  ["begun", monthly("new", 0, 2500), "Got access, pays $25.00 a month"],
  ["begun", monthly("reactivated", 0, 2500), "Got access, pays $25.00 a month again"],
  ["ended", monthly("churned", 2500, 0), "Lost access, no longer pays $25.00 a month"],
  [null, monthly("expansion", 2500, 4000), "Pays $40.00 a month instead of $25.00"],
  [null, monthly("contraction", 4000, 2500), "Pays $25.00 a month instead of $40.00"],
] as const)("a movement with the access %j and the amount %j is shown as %s", (access, amount, text) => {
  expect(movementText({ access, monthly: amount } as Movement)).toBe(text);
});

it("the number of movements is shown with the choice", () => {
  expect([countText(1, undefined), countText(12, undefined)]).toEqual(["1 change", "12 changes"]);
  expect(Object.entries(choices).map(([name]) => countText(8, name as keyof typeof choices))).toEqual([
    "8 joined",
    "8 left",
    "8 paid for the first time",
    "8 paid again",
    "8 paid more",
    "8 paid less",
    "8 stopped paying",
  ]);
});
