import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergePatch, patchMetadata } from "#lib/values/metadata.ts";

describe("a JSON merge patch (RFC 7396, appendix A)", () => {
  it.each([
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])("applying the JSON merge patch to %j with %j gives %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  it("a JSON merge patch never changes a prototype", () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, never>;
    mergePatch({}, patch);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("applying a JSON merge patch without null and objects to no value returns the patch", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.array(fc.boolean()))), (patch) => {
        expect(mergePatch(undefined, patch)).toEqual(patch);
      }),
    );
  });
});

describe("a member's metadata", () => {
  const before = { notes: "old", custom: { a: 1 } };

  it("a patch without notes keeps the notes, and a patch with null empties them", () => {
    expect(patchMetadata(before, { a: null })).toEqual({ notes: "old", custom: {} });
    expect(patchMetadata(before, { notes: null })).toEqual({ notes: "", custom: { a: 1 } });
  });

  it("a member can have at most fifty custom keys, including existing ones", () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
    expect(Object.keys(patchMetadata(before, keys(49)).custom)).toHaveLength(50);
    expect(() => patchMetadata(before, keys(50))).toThrow(expect.objectContaining({ code: "validation_failed" }));
    expect(Object.keys(patchMetadata(before, { ...keys(50), a: null }).custom)).toHaveLength(50);
  });

  it.each([2 ** 53, -20762936831913096, 1.2e111, -1e300, 1e-131, -1e-200])(
    "metadata with the number %d, which the table cannot store exactly, is refused",
    (number) => {
      for (const patch of [{ n: number }, { deep: [{ n: number }] }])
        expect(() => patchMetadata(before, patch)).toThrow(expect.objectContaining({ code: "validation_failed" }));
    },
  );

  it.each([0, -0.1, 1e-130, 2 ** 53 - 1, 1 - 2 ** 53, 9.99e15 / 7])("metadata can contain the number %d", (number) => {
    expect(patchMetadata(before, { a: [number] }).custom).toEqual({ a: [number] });
  });
});

describe("names of keys that nobody can store or read back", () => {
  const before = { notes: "", custom: {} };

  it.each([
    ['{"constructor":"keep me"}', "/constructor"],
    ['{"prototype":1}', "/prototype"],
    ['{"__proto__":{"a":1}}', "/__proto__"],
    ['{"":1}', "/"],
    ['{"constructor":null}', "/constructor"],
    ['{"nest":{"constructor":"keep me"}}', "/nest/constructor"],
    ['{"nest":{"":1}}', "/nest/"],
    ['{"nest":[{"a":{"__proto__":1}}]}', "/nest/0/a/__proto__"],
    ['{"a/b":{"~":{"prototype":null}}}', "/a~1b/~0/prototype"],
  ])("the metadata %s is refused with the pointer %s", (json, pointer) => {
    const errors = [expect.objectContaining({ pointer: `/member/metadata${pointer}`, code: "not_allowed" })];
    expect(() => patchMetadata(before, JSON.parse(json) as never)).toThrow(
      expect.objectContaining({ code: "validation_failed", errors }),
    );
  });
});
