import { describe, expect, it } from "vitest";
import { routes } from "#lib/contract/index.ts";
import { assertMatches, etagOf, isKnown, isSameEdit } from "#lib/http/etag.ts";
import { sampleOf } from "../../support/samples.ts";

const etag = etagOf({ id: 1, name: "Cask" });

/** Fields that the ETag does not cover (`docs/api.md`, section 1, "Concurrency"), by area. Only two responses have a secret, and one an API key. */
const notCovered: Readonly<Record<string, readonly string[]>> = {
  communities: ["sequence"],
  destinations: ["secret"],
  keys: ["key"],
  members: ["sequence"],
  tiers: ["sequence"],
};

/** Fields that If-Match ignores besides, by area. */
const unedited: Readonly<Record<string, readonly string[]>> = {
  benefits: ["community", "tiers"],
  communities: ["member_count", "trending"],
  destinations: ["failing_since", "last_success_at"],
  keys: ["last_used_at"],
  members: ["community"],
  tiers: ["benefits"],
};

const tagged = routes.flatMap(({ area, key, etag: hasEtag, output }) =>
  hasEtag && output ? [{ area, key, output }] : [],
);

/** Whether a write with If-Match is allowed. */
function isAllowed(ifMatch: string, current: string): boolean {
  try {
    assertMatches(ifMatch, current);
    return true;
  } catch {
    return false;
  }
}

/** The paths of all values of a record that are no objects. */
const leavesOf = (value: unknown): string[][] =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, part]) => leavesOf(part).map((path) => [name, ...path]))
    : [[]];

/** A copy of a record in which one value differs. */
function changed(value: unknown, [name, ...path]: readonly string[]): unknown {
  if (name === undefined)
    return typeof value === "number" ? value + 1 : typeof value === "boolean" ? !value : `${String(value)} 2`;
  if (Array.isArray(value))
    return (value as unknown[]).map((part, n) => (String(n) === name ? changed(part, path) : part));
  const record = value as Readonly<Record<string, unknown>>;
  return { ...record, [name]: changed(record[name], path) };
}

describe("an entity tag", () => {
  it.each([
    ["the same record", { id: 1, name: "Cask" }, true],
    ["its members in another order", { name: "Cask", id: 1 }, true],
    ["a member_count further down", { id: 1, name: "Cask", metadata: { member_count: 5 } }, false],
  ])("the ETag ignores the order of members: %s (case %#)", (_, record, isSame) => {
    expect(etagOf(record) === etag).toBe(isSame);
  });

  it.each(tagged)(
    "the ETag of $key changes with each field that it shows, except for the listed ones",
    ({ area, output }) => {
      const record = sampleOf(output) as Record<string, unknown>;
      const before = etagOf(record);
      const ignored = leavesOf(record).filter((path) => etagOf(changed(record, path) as object) === before);
      expect([...new Set(ignored.map(([name = ""]) => name))].toSorted()).toEqual(
        (notCovered[area] ?? []).filter((name) => name in record),
      );
    },
  );

  it.each(tagged)("If-Match of $key ignores each field that no edit changes, and no other one", ({ area, output }) => {
    const record = sampleOf(output) as Record<string, unknown>;
    const before = etagOf(record);
    const ignored = leavesOf(record).filter((path) => {
      const after = etagOf(changed(record, path) as object);
      if (isSameEdit(before, after) !== isAllowed(before, after)) throw new Error(`They differ about ${path.join()}`);
      return isAllowed(before, after);
    });
    expect([...new Set(ignored.map(([name = ""]) => name))].toSorted()).toEqual(
      [...(notCovered[area] ?? []), ...(unedited[area] ?? [])].filter((name) => name in record).toSorted(),
    );
  });

  it("If-Match accepts a tag without the part that edits do not change, as earlier versions gave it", () => {
    const current = etagOf({ id: 1, name: "Cask", member_count: 5 });
    expect(current).not.toBe(etag);
    expect([isAllowed(etag, current), isKnown(etag, current), isSameEdit(`W/${etag}`, current)]).toEqual([
      true,
      false,
      true,
    ]);
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
