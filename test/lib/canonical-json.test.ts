import * as fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "#lib/canonical-json.ts";

it.each([
  // RFC 8785, section 3.2.2 and 3.2.3.
  [
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  [
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis","€":"Euro Sign","😀":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  ['{"10":1,"9":2,"a":[{"d":1,"c":2}]}', '{"10":1,"9":2,"a":[{"c":2,"d":1}]}'],
])("the canonical form of %s follows RFC 8785", (json, canonical) => {
  expect(canonicalJson(JSON.parse(json))).toBe(canonical);
});

it("the canonical form does not depend on the order of members and keeps every value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

it("canonical JSON leaves out undefined members, like JSON", () => {
  expect(canonicalJson({ b: undefined, a: [undefined] })).toBe('{"a":[null]}');
});

function reversed(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toReversed());
}
