import { describe, expect, it } from "vitest";
import { assertMayChange, assertMayUse, assertOwns } from "#lib/auth/policy.ts";
import type { Route } from "#lib/contract/route.ts";
import { Problem } from "#lib/problem.ts";

const caller = (id: number, ...groups: string[]) => ({ id, groups, sub: "", username: "" });
const community = { id: 7, owner_id: 3 };

/** What a check says: whether it lets the caller on. */
function allows(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ code: "forbidden" });
    return false;
  }
}

describe("a token opens routes by their access", () => {
  const everyone = { public: true, optional: true, user: true, owner: true };
  it.each([
    ["no token", undefined, { public: true, optional: true }],
    ["a user", caller(9), { ...everyone, editor: false, admin: false }],
    ["an editor", caller(2, "editor"), { ...everyone, editor: true, admin: false }],
    ["an admin", caller(1, "admin"), { ...everyone, editor: true, admin: true }],
  ] as const)("%s", (_, who, allowed) => {
    for (const [access, expected] of Object.entries(allowed))
      expect({ access, may: allows(() => assertMayUse({ access: access as Route["access"] }, who)) }).toEqual({
        access,
        may: expected,
      });
  });
});

describe("a route of access owner is for the community's owner and admins", () => {
  it.each([
    ["its owner", caller(3), true],
    ["an admin", caller(1, "admin"), true],
    ["an editor", caller(2, "editor"), false],
    ["another owner", caller(4), false],
    ["a person without a profile", caller(0), false],
  ])("%s", (_, who, expected) => {
    expect(allows(() => assertOwns({ access: "owner" }, who, community))).toBe(expected);
  });

  it("lets nobody on where the guard does not say what must be owned", () => {
    expect(() => assertOwns({ access: "owner" }, caller(1, "admin"), undefined)).toThrow(
      "must return what the caller has to own",
    );
    expect(() => assertOwns({ access: "owner" }, undefined, community)).toThrow(
      "must return what the caller has to own",
    );
  });

  it("asks no other route's caller to own anything", () => {
    expect(allows(() => assertOwns({ access: "user" }, caller(4), community))).toBe(true);
  });
});

describe("who changes what of a community", () => {
  it.each([{ owner_id: 4 }, { status: "archived" }, { trending_pin: null }])("only an admin changes %j", (change) => {
    expect(() => assertMayChange(caller(1, "admin"), change)).not.toThrow();
    expect(() => assertMayChange(caller(3), { name: "Rye", ...change })).toThrow(/^Only an admin may change/);
  });

  it("whoever manages it changes its name, slug and avatar", () => {
    expect(() => assertMayChange(caller(3), { name: "Rye", slug: "rye", avatar_url: null })).not.toThrow();
  });
});
