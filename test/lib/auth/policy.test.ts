import { describe, expect, it } from "vitest";
import { assertHasRight, assertMayChange, assertMayImport, assertMayUse, type RightBasis } from "#lib/auth/policy.ts";
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

describe("a right in a community", () => {
  const place = (role: "manager" | "support" | "viewer", right = { ownership: 0, epoch: 0 }) => ({
    user_id: 9,
    role,
    right,
    created_at: "2026-11-21T12:00:00.000Z",
    version: 1,
  });
  const request = (who: ReturnType<typeof caller> | undefined, over = {}) =>
    ({ right: "members_read", caller: who, selfId: undefined, epoch: 0, ...over }) as const;
  const decided = (who: ReturnType<typeof caller>, basis: RightBasis, over = {}) =>
    allows(() => void assertHasRight(request(who, over), { owned: community, ...basis }));

  it.each([
    ["its owner, who has every right", caller(3), {}, true],
    ["an admin, who has every right", caller(1, "admin"), {}, true],
    ["an editor, who has none", caller(2, "editor"), {}, false],
    ["another owner, who has none", caller(4), {}, false],
    ["a person without a profile, who has none", caller(0), {}, false],
    ["a person in the team whose role has the right", caller(9), { place: place("support") }, true],
    ["a person in the team whose role lacks the right", caller(9), { place: place("viewer") }, false],
    [
      "a person whose place was given in a later epoch",
      caller(9),
      { place: place("support", { ownership: 0, epoch: 1 }) },
      true,
    ],
    ["a person in the team, for another's member record", caller(9), { place: place("support"), personId: 8 }, true],
    ["a person in the team, for their own member record", caller(9), { place: place("support"), personId: 9 }, false],
    ["the owner, for their own member record", caller(3), { personId: 3 }, true],
  ] as const)("a right in a community is decided for %s", (_, who, basis, expected) => {
    expect(decided(who, basis)).toBe(expected);
  });

  it.each([
    ["a change of owner", { owned: { ...community, ownership: 1 } }, {}],
    ["a restore", {}, { epoch: 1 }],
  ])("a place in a team no longer counts after %s", (_, basis, over) => {
    expect(decided(caller(9), { place: place("manager"), ...basis }, over)).toBe(false);
  });

  it("a request that needs no right of a role is for the owner and admins only", () => {
    expect(decided(caller(9), { place: place("manager") }, { right: undefined })).toBe(false);
    expect(decided(caller(3), {}, { right: undefined })).toBe(true);
  });

  it("a request that the named user may make is allowed to that user without a role", () => {
    expect(decided(caller(9), {}, { right: undefined, selfId: 9 })).toBe(true);
    expect(decided(caller(9), {}, { right: undefined, selfId: 8 })).toBe(false);
  });

  it("assertHasRight returns the role that allows the request, and none for the owner", () => {
    const basis = { owned: community, place: place("support") };
    expect(assertHasRight(request(caller(9)), basis)).toBe("support");
    expect(assertHasRight(request(caller(3)), basis)).toBeUndefined();
  });

  it("assertHasRight refuses every caller if the guard does not return the owned community", () => {
    const message = "must return what the caller has to own";
    expect(() => assertHasRight(request(caller(1, "admin")), {})).toThrow(message);
    expect(() => assertHasRight(request(undefined), { owned: community })).toThrow(message);
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

describe("an import by role", () => {
  const record = { user: {}, stripe_customer_id: null, stripe_subscription_id: null };

  it.each([
    ["user.id", { user: { id: 5 } }],
    ["stripe_customer_id", { stripe_customer_id: "cus_1" }],
    ["stripe_subscription_id", { stripe_subscription_id: "sub_1" }],
  ])("only an admin may import the field %s, in any of the records", (name, fields) => {
    const records = [record, { ...record, ...fields }];
    expect(() => assertMayImport(caller(1, "admin"), records)).not.toThrow();
    expect(() => assertMayImport(caller(3), records)).toThrow(`Only an admin may import ${name}`);
  });

  it("an owner may import records without these fields", () => {
    expect(() => assertMayImport(caller(3), [record, record])).not.toThrow();
  });
});
