import type { Route } from "../contract/route.ts";
import { communityFields } from "../fields/community.ts";
import { setBy } from "../fields/field.ts";
import { Problem, unauthorized } from "../problem.ts";
import type { Grantor } from "../values/lasting-right.ts";
import type { Caller } from "./caller.ts";

const isAdmin = (caller: Caller): boolean => caller.groups.includes("admin");

/**
 * Refuses callers who may not use a route according to their token.
 *
 * @throws Problem `forbidden`
 */
export function assertMayUse({ access }: Pick<Route, "access">, caller: Caller | undefined): void {
  if (caller && !isAllowed(caller, access))
    throw new Problem("forbidden", {
      detail: `Only ${access === "editor" ? "an editor or an admin" : "an admin"} may do this`,
    });
}

function isAllowed(caller: Caller, access: Route["access"]): boolean {
  switch (access) {
    case "public":
    case "optional":
    case "user":
    // Whether the caller owns the community is checked later, when the guard has read it.
    case "owner":
      return true;
    case "editor":
      return isAdmin(caller) || caller.groups.includes("editor");
    case "admin":
      return isAdmin(caller);
    default:
      return access satisfies never;
  }
}

/**
 * Refuses callers of a route with access `owner` who are neither the owner of its community nor an admin.
 *
 * @throws Problem `forbidden`
 */
export function assertOwns(
  { access }: Pick<Route, "access">,
  caller: Caller | undefined,
  owned: Owned | undefined,
): void {
  if (access !== "owner") return;
  if (!caller || !owned)
    throw new Error("The guard of a route with access owner must return what the caller has to own");
  assertManages(caller, owned);
}

/**
 * Refuses callers who are neither the owner of a community nor an admin.
 *
 * @throws Problem `forbidden`
 */
export function assertManages(caller: Caller, { id, owner_id }: Owned): void {
  if (!isAdmin(caller) && caller.id !== owner_id)
    throw new Problem("forbidden", { detail: `Only the owner of community ${id} or an admin may do this` });
}

/** The fields of a community that decide the rights of its owner. */
export type Owned = Grantor & { readonly id: number; readonly owner_id: number };

/**
 * Refuses callers who may not list all communities.
 *
 * @throws Problem `missing_token`, `forbidden`
 */
export function assertMayList(caller: Caller | undefined): void {
  if (!caller) throw unauthorized("missing_token");
  if (!isAdmin(caller))
    throw new Problem("forbidden", { detail: "Only an admin may list all communities: give a slug" });
}

/**
 * Refuses the changes of a community that only admins may make.
 *
 * @throws Problem `forbidden`
 */
export function assertMayChange(caller: Caller, changes: object): void {
  const refused = setBy(communityFields, "admin").find((field) => field in changes);
  if (refused !== undefined && !isAdmin(caller))
    throw new Problem("forbidden", { detail: `Only an admin may change ${refused}` });
}
