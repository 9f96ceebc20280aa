import { describe, expect, it } from "vitest";
import { assertMatches, etagOf, isKnown } from "#lib/http/etag.ts";

const etag = etagOf({ id: 1, name: "Cask" });

describe("an entity tag", () => {
  it.each([
    ["the same record", { id: 1, name: "Cask" }, true],
    ["its members in another order", { name: "Cask", id: 1 }, true],
    ["another member_count", { id: 1, name: "Cask", member_count: 5 }, true],
    ["another trending mark", { id: 1, name: "Cask", trending: true }, true],
    ["the benefits of a tier", { id: 1, name: "Cask", benefits: [{ id: 2 }] }, true],
    ["another name", { id: 1, name: "Barrel" }, false],
    ["a member_count further down", { id: 1, name: "Cask", metadata: { member_count: 5 } }, false],
  ])("the ETag ignores counts, joined data and the order of members: %s (case %#)", (_, record, isSame) => {
    expect(etagOf(record) === etag).toBe(isSame);
  });

  it.each([
    [undefined, true],
    [etag, true],
    ["*", true],
    [`"other", ${etag}`, true],
    [`W/${etag}`, false],
    ['"other"', false],
    ["", false],
  ])("whether If-Match %s allows a write is %s", (header, matches) => {
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
  ])("whether If-None-Match %s matches the current ETag is %s", (header, known) => {
    expect(isKnown(header, etag)).toBe(known);
  });
});
