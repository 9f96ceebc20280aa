import { describe, expect, it } from "vitest";
import { assertMayChange, isAllowed, mayManage } from "#lib/auth/policy.ts";

const caller = (id: number, ...groups: string[]) => ({ id, groups, sub: "", username: "" });
const community = { owner_id: 3 };

describe("who may use a route at all", () => {
  it.each([
    ["anybody", caller(9), { public: true, optional: true, user: true, editor: false, admin: false }],
    ["an editor", caller(2, "editor"), { public: true, optional: true, user: true, editor: true, admin: false }],
    ["an admin", caller(1, "admin"), { public: true, optional: true, user: true, editor: true, admin: true }],
  ] as const)("%s", (_, who, allowed) => {
    for (const [access, expected] of Object.entries(allowed))
      expect({ access, may: isAllowed(who, access as keyof typeof allowed) }).toEqual({ access, may: expected });
  });
});

describe("who manages a community", () => {
  it.each([
    ["its owner", caller(3), true],
    ["an admin", caller(1, "admin"), true],
    ["an editor", caller(2, "editor"), false],
    ["another owner", caller(4), false],
    ["a person without a profile", caller(0), false],
  ])("%s: %#", (_, who, expected) => {
    expect(mayManage(who, community)).toBe(expected);
  });
});

describe("who changes what of a community", () => {
  it.each([{ owner_id: 4 }, { status: "archived" }, { trending_pin: null }])("%j: an admin", (change) => {
    expect(() => assertMayChange(caller(1, "admin"), change)).not.toThrow();
    expect(() => assertMayChange(caller(3), { name: "Rye", ...change })).toThrow(/^Only an admin may change/);
  });

  it("its name, slug and avatar: whoever manages it", () => {
    expect(() => assertMayChange(caller(3), { name: "Rye", slug: "rye", avatar_url: null })).not.toThrow();
  });
});
