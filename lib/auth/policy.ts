import type { Route } from "../contract/route.ts";
import { Problem } from "../problem.ts";
import type { Caller } from "./caller.ts";

/** Whether the caller has full access to a community's members, benefits and tiers: its owner, or an admin. */
export const mayManage = (caller: Caller, community: { readonly owner_id: number }): boolean =>
  isAdmin(caller) || caller.id === community.owner_id;

const isAdmin = (caller: Caller): boolean => caller.groups.includes("admin");

/** Whether the caller may use a route of this access at all; what depends on the data comes after. */
export function isAllowed(caller: Caller, access: Route["access"]): boolean {
  switch (access) {
    case "public":
    case "optional":
    case "user":
      return true;
    case "editor":
      return isAdmin(caller) || caller.groups.includes("editor");
    case "admin":
      return isAdmin(caller);
    default:
      return access satisfies never;
  }
}

/** @throws Problem `forbidden` */
export function assertManages(caller: Caller, community: { readonly owner_id: number }): void {
  if (!mayManage(caller, community)) throw new Problem("forbidden");
}

const forAdmins = ["owner_id", "status", "trending_pin"];

/**
 * Refuses the changes of a community that its owner may not make: who owns it, whether it is archived, its trending mark.
 *
 * @throws Problem `forbidden`
 */
export function assertMayChange(caller: Caller, changes: object): void {
  const refused = forAdmins.find((field) => field in changes);
  if (refused !== undefined && !isAdmin(caller))
    throw new Problem("forbidden", { detail: `Only an admin may change ${refused}` });
}
