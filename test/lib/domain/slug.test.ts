import { safeParse } from "valibot";
import { describe, expect, it } from "vitest";
import { Slug, slugsOf } from "#lib/domain/slug.ts";

const uuid = "6f1d9b0e-3c1a-4c55-9a44-0c3a1c2f7a01";

describe("the slugs of a name", () => {
  it.each([
    ["Mezcal Circle", "mezcal-circle"],
    ["  Peat & Smoke!  ", "peat-smoke"],
    ["Ágave Ñandú Weiß", "agave-nandu-weiss"],
    ["日本酒", "community"],
    ["🥃", "community"],
    ["1800", "community-1800"],
    ["18-00", "18-00"],
    [`${"8".repeat(60)} Club`, `community-${"8".repeat(44)}`],
    ["x".repeat(120), "x".repeat(54)],
    [`${"x".repeat(53)} y`, "x".repeat(53)],
  ])("the first slug for the name %j is %j", (name, first) => {
    expect(slugsOf({ name, uuid })[0]).toBe(first);
  });

  it("the slugs for a name end with numbers from 2 to 9, then with the start of the uuid", () => {
    const numbered = ["rye-2", "rye-3", "rye-4", "rye-5", "rye-6", "rye-7", "rye-8", "rye-9"];
    expect(slugsOf({ name: "Rye", uuid })).toEqual(["rye", ...numbered, "rye-6f1d9b0e"]);
  });

  it.each(["a", "0", "a-b", "a--b", "x".repeat(63)])("%j is a valid slug", (slug) => {
    expect(safeParse(Slug, slug).success).toBe(true);
  });

  it("the slugs for unusual names are all valid", () => {
    for (const name of ["-", "--a--", "A".repeat(120), "ﬁne ½", "İstanbul", "a_b.c"])
      for (const slug of slugsOf({ name, uuid })) expect(safeParse(Slug, slug)).toMatchObject({ success: true });
  });
});
