import type { Route } from "../contract/route.ts";
import { communityFields } from "../fields/community.ts";
import { setBy } from "../fields/field.ts";
import { Problem, unauthorized } from "../problem.ts";
import { endOf, type Grantor, type LastingRight, rightIn } from "../values/lasting-right.ts";
import type { TeamRole } from "../values/team-role.ts";
import { type AnyCaller, type Caller, isKeyCaller } from "./caller.ts";
import { type Right, rolesWith } from "./rights.ts";

export const isAdmin = (caller: AnyCaller): boolean => !isKeyCaller(caller) && caller.groups.includes("admin");

/**
 * Refuses callers who may not use a route according to their token.
 *
 * @throws Problem `forbidden`
 */
export function assertMayUse({ access }: Pick<Route, "access">, caller: AnyCaller | undefined): void {
  if (caller && !isAllowed(caller, access))
    throw new Problem("forbidden", {
      detail: `Only ${access === "editor" ? "an editor or an admin" : "an admin"} may do this`,
    });
}

/**
 * Refuses API keys on routes that no role can use: public routes, those of people, and those of owners and admins.
 *
 * @throws Problem `forbidden`
 */
export function assertKeyMayUse({ right }: Pick<Route, "right">): void {
  if (right === undefined) throw outsideKey();
}

const outsideKey = (): Problem =>
  new Problem("forbidden", {
    detail: "An API key is for those routes of its own community that its role allows. Call public routes without it",
  });

function isAllowed(caller: AnyCaller, access: Route["access"]): boolean {
  switch (access) {
    case "public":
    case "optional":
    case "user":
    // Whether the caller owns the community is checked later, when the guard has read it.
    case "owner":
      return true;
    case "editor":
      return isAdmin(caller) || (!isKeyCaller(caller) && caller.groups.includes("editor"));
    case "admin":
      return isAdmin(caller);
    default:
      return access satisfies never;
  }
}

/** A request for a right in a community. */
type RightRequest = {
  /** The right that the request needs. Undefined if only the owner and admins may make it. */
  readonly right: Right | undefined;
  readonly caller: AnyCaller | undefined;
  /** The user whom the request concerns if it may be made by that user too. */
  readonly selfId: unknown;
  readonly epoch: number;
};

/** The data on which a right in a community depends. */
export type RightBasis = {
  /** The community. */
  readonly owned?: Owned | undefined;
  /** The caller's place in the team of the community. */
  readonly place?: TeamPlace | undefined;
  /** The person whom the record in the path is about. */
  readonly personId?: number | undefined;
  /** The API key of the request, which has the right hash. */
  readonly apiKey?: ApiKeyRight | undefined;
};

/** The fields of an API key that decide its rights. */
export type ApiKeyRight = {
  readonly id: number;
  readonly community_id: number;
  readonly role: TeamRole;
  readonly right: LastingRight;
  readonly secret_hash: string;
};

/** A place in the team of a community. */
export type TeamPlace = {
  readonly user_id: number;
  readonly role: TeamRole;
  readonly right: LastingRight;
  /** The time at which the person joined. Whoever leaves and joins again has another place. */
  readonly created_at: string;
  readonly version: number;
};

/**
 * Decides whether the caller of a route with access `owner` may make a request: the owner of the community and admins may,
 * and members of its team and API keys whose role has the right. A role does not cover the caller's own member record.
 *
 * @returns the role that allows the request. Undefined if the caller needs none
 * @throws Problem `forbidden`; `invalid_token` for an API key whose right has ended
 */
export function assertHasRight(
  { right, caller, selfId, epoch }: RightRequest,
  { owned, place, personId, apiKey }: RightBasis,
): TeamRole | undefined {
  if (!caller || !owned)
    throw new Error("The guard of a route with access owner must return what the caller has to own");
  if (isKeyCaller(caller)) return roleOfKey(right, apiKey, rightIn(owned, epoch), owned);
  if (mayManage(caller, owned) || selfId === caller.id) return undefined;
  const roles = right ? rolesWith(right) : [];
  const role = place && endOf(place.right, rightIn(owned, epoch)) === undefined ? place.role : undefined;
  if (role === undefined || !roles.includes(role))
    throw new Problem("forbidden", { detail: `Only ${allowedOf(owned, roles)} may do this` });
  if (personId === caller.id)
    throw new Problem("forbidden", { detail: "A role in the team does not cover your own member record" });
  return role;
}

function roleOfKey(
  right: Right | undefined,
  apiKey: ApiKeyRight | undefined,
  current: LastingRight,
  { id }: Owned,
): TeamRole {
  if (apiKey?.community_id !== id) throw outsideKey();
  if (endOf(apiKey.right, current) !== undefined) throw invalidKey();
  const roles = right ? rolesWith(right) : [];
  if (!roles.includes(apiKey.role))
    throw new Problem("forbidden", {
      detail: `The role of the API key is ${apiKey.role}. This requires the role ${roles.join(" or ")}`,
    });
  return apiKey.role;
}

/** The problem for an API key that is not valid, or no longer. */
export const invalidKey = (): Problem =>
  unauthorized("invalid_token", { detail: "The API key is unknown, was revoked, or has expired or ended" });

const allowedOf = ({ id }: Owned, roles: readonly TeamRole[]): string =>
  roles.length === 0
    ? `the owner of community ${id} or an admin`
    : `the owner of community ${id}, an admin, or a member of its team with the role ${roles.join(" or ")}`;

/** Whether the caller is the owner of a community or an admin. */
export const mayManage = (caller: Caller, { owner_id }: Pick<Owned, "owner_id">): boolean =>
  isAdmin(caller) || caller.id === owner_id;

/** The fields of a community that decide rights in it. */
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
 * Refuses imported fields that only admins may set: they refer to people and payments outside the community.
 *
 * @throws Problem `forbidden`
 */
export function assertMayImport(caller: AnyCaller, records: readonly ImportedReferences[]): void {
  if (isAdmin(caller)) return;
  const refused = records.flatMap(({ user, stripe_customer_id, stripe_subscription_id }) => [
    ...(user.id === undefined ? [] : ["user.id"]),
    ...(stripe_customer_id === null ? [] : ["stripe_customer_id"]),
    ...(stripe_subscription_id === null ? [] : ["stripe_subscription_id"]),
  ]);
  if (refused[0] !== undefined) throw new Problem("forbidden", { detail: `Only an admin may import ${refused[0]}` });
}

type ImportedReferences = {
  readonly user: { readonly id?: number | undefined };
  readonly stripe_customer_id: string | null;
  readonly stripe_subscription_id: string | null;
};

/**
 * Refuses the changes of a community that only admins may make.
 *
 * @throws Problem `forbidden`
 */
export function assertMayChange(caller: AnyCaller, changes: object): void {
  const refused = setBy(communityFields, "admin").find((field) => field in changes);
  if (refused !== undefined && !isAdmin(caller))
    throw new Problem("forbidden", { detail: `Only an admin may change ${refused}` });
}
