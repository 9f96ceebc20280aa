import { describe, expect, it } from "vitest";
import { assertMatches, etagOf, isKnown } from "#lib/http/etag.ts";

const etag = etagOf('{"id":1}');

describe("an entity tag", () => {
  it("changes with the representation", () => {
    expect(etagOf('{"id":1}')).toBe(etag);
    expect(etagOf('{"id":2}')).not.toBe(etag);
  });

  it.each([
    [undefined, true],
    [etag, true],
    ["*", true],
    [`"other", ${etag}`, true],
    [`W/${etag}`, false],
    ['"other"', false],
    ["", false],
  ])("If-Match %s lets the write happen: %s", (header, matches) => {
    const check = () => assertMatches(header, etag);
    if (matches) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: "stale_record" }));
  });

  it.each([
    [undefined, false],
    [etag, true],
    [`W/${etag}`, true],
    ["*", true],
    ['"other"', false],
  ])("If-None-Match %s means that the caller has it: %s", (header, known) => {
    expect(isKnown(header, etag)).toBe(known);
  });
});
