import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expressions } from "#lib/store/expression.ts";

describe("an expression", () => {
  it("an expression is constant ASCII text for any names and values", () => {
    const attributes = fc.dictionary(
      fc.string({ minLength: 1, unit: "binary" }),
      fc.option(fc.string(), { nil: undefined }),
    );
    fc.assert(
      fc.property(attributes, attributes, (set, is) => {
        const text = expressions();
        expect(text.update(set)).toMatch(/^[ -~]*$/);
        expect(text.condition({ is })).toMatch(
          /^attribute_exists\(#n\d+\)( AND (#n\d+ = :v\d+|attribute_not_exists\(#n\d+\)))*$/,
        );
      }),
    );
  });

  it("a condition compares attributes with values, and undefined requires that the attribute is absent", () => {
    const text = expressions();
    expect(text.condition({ is: { a: 1, b: undefined }, not: { c: undefined } })).toBe(
      "attribute_exists(#n0) AND #n1 = :v0 AND attribute_not_exists(#n2) AND attribute_exists(#n3)",
    );
  });

  it("an update sets attributes that have a value and removes undefined ones", () => {
    const text = expressions();
    expect(text.update({ a: 1, b: undefined, c: null })).toBe("SET #n0 = :v0, #n1 = :v1 REMOVE #n2");
    expect(text.placeholders()).toEqual({
      ExpressionAttributeNames: { "#n0": "a", "#n1": "c", "#n2": "b" },
      ExpressionAttributeValues: { ":v0": 1, ":v1": null },
    });
  });

  it("the condition anyOf holds if one of its conditions holds", () => {
    expect(expressions().condition({ anyOf: ["absent", { is: { a: 1 }, atMost: { b: 2 } }] })).toBe(
      "(attribute_not_exists(#n0)) OR (attribute_exists(#n0) AND #n1 = :v0 AND #n2 <= :v1)",
    );
  });

  it("the condition unless holds for a missing item and for an item with other attributes", () => {
    expect(expressions().condition({ unless: { a: true } })).toBe("attribute_not_exists(#n0) OR #n1 <> :v0");
    expect(expressions().condition({ not: { a: true } })).toBe("attribute_exists(#n0) AND #n1 <> :v0");
  });
});
