import { describe, expect, it } from "vitest";
import { assertMayChange, assertMayUse, assertOwns } from "#lib/auth/policy.ts";
import type { Route } from "#lib/contract/route.ts";
import { Problem } from "#lib/problem.ts";

const caller = (id: number, ...groups: string[]) => ({ id, groups, sub: "", username: "" });
const community = { id: 7, owner_id: 3 };

/** Whether a check allows the caller. */
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

describe("access to routes by token", () => {
  const everyone = { public: true, optional: true, user: true, owner: true };
  it.each([
    ["a caller without a token", undefined, { public: true, optional: true }],
    ["a user", caller(9), { ...everyone, editor: false, admin: false }],
    ["an editor", caller(2, "editor"), { ...everyone, editor: true, admin: false }],
    ["an admin", caller(1, "admin"), { ...everyone, editor: true, admin: true }],
  ] as const)("%s may use only the routes that the token allows", (_, who, allowed) => {
    for (const [access, expected] of Object.entries(allowed))
      expect({ access, may: allows(() => assertMayUse({ access: access as Route["access"] }, who)) }).toEqual({
        access,
        may: expected,
      });
  });
});

describe("a route of access owner is for the community's owner and admins", () => {
  it.each([
    ["its owner, who is allowed", caller(3), true],
    ["an admin, who is allowed", caller(1, "admin"), true],
    ["an editor, who is refused", caller(2, "editor"), false],
    ["another owner, who is refused", caller(4), false],
    ["a person without a profile, who is refused", caller(0), false],
  ])("on a route with access owner, the caller's ownership is checked: %s", (_, who, expected) => {
    expect(allows(() => assertOwns({ access: "owner" }, who, community))).toBe(expected);
  });

  it("a route with access owner refuses every caller if its guard does not return the owned community", () => {
    expect(() => assertOwns({ access: "owner" }, caller(1, "admin"), undefined)).toThrow(
      "must return what the caller has to own",
    );
    expect(() => assertOwns({ access: "owner" }, undefined, community)).toThrow(
      "must return what the caller has to own",
    );
  });

  it("a route with access user does not require that the caller owns the community", () => {
    expect(allows(() => assertOwns({ access: "user" }, caller(4), community))).toBe(true);
  });
});

describe("changes of a community by role", () => {
  it.each([{ owner_id: 4 }, { status: "archived" }, { trending_pin: null }])(
    "only an admin may change a community by %j",
    (change) => {
      expect(() => assertMayChange(caller(1, "admin"), change)).not.toThrow();
      expect(() => assertMayChange(caller(3), { name: "Rye", ...change })).toThrow(/^Only an admin may change/);
    },
  );

  it("an owner may change the name, slug and avatar of a community", () => {
    expect(() => assertMayChange(caller(3), { name: "Rye", slug: "rye", avatar_url: null })).not.toThrow();
  });
});
