import type { ProblemCode } from "../problem.ts";
import * as benefits from "./benefits.ts";
import * as brands from "./brands.ts";
import * as checkout from "./checkout.ts";
import * as communities from "./communities.ts";
import * as destinations from "./destinations.ts";
import * as discovery from "./discovery.ts";
import * as keys from "./keys.ts";
import * as me from "./me.ts";
import * as members from "./members.ts";
import * as membership from "./membership.ts";
import { isVersioned, type Route, type RouteDoc } from "./route.ts";
import * as subscriptions from "./subscriptions.ts";
import * as system from "./system.ts";
import * as team from "./team.ts";
import * as tiers from "./tiers.ts";
import * as users from "./users.ts";
import * as webhooks from "./webhooks.ts";

/** All routes by area, for infra, documents and tests. A function imports only its own area. */
const contract = {
  discovery,
  members,
  membership,
  subscriptions,
  me,
  users,
  communities,
  tiers,
  checkout,
  webhooks,
  brands,
  benefits,
  destinations,
  team,
  keys,
  system,
};

/** The API reference texts of each area's routes. Functions do not use them, so the build leaves them out. */
const texts: {
  readonly [Area in keyof typeof contract]: {
    readonly docs: Readonly<Record<Exclude<keyof (typeof contract)[Area], "docs">, RouteDoc>>;
  };
} = contract;

function textOf(area: string, name: string): Pick<PlacedRoute, "summary" | "description"> {
  const { docs } = texts[area as keyof typeof texts];
  const doc = docs[name as keyof typeof docs];
  return typeof doc === "string" ? { summary: doc } : { summary: doc[0], description: doc[1] };
}

/** A description of each area of the contract. */
export const areas: Readonly<Record<keyof typeof contract, string>> = {
  discovery: "Find communities.",
  members: "The members of a community: their data, subscriptions, refunds and blocks.",
  membership: "The caller's own membership of a community: access, invoices and cancellation.",
  subscriptions: "Changes of a member's tier and interval.",
  me: "Export and erasure of the caller's data.",
  users: "Finding people, and the export and erasure of their data, for admins.",
  communities: "Communities and their figures.",
  tiers: "Membership tiers, which people subscribe to.",
  checkout: "Stripe's hosted pages, where people subscribe and change their card.",
  webhooks: "The endpoint that Stripe sends events to.",
  brands: "The brands of producers.",
  benefits: "What members of a tier get.",
  destinations: "Where events are delivered as signed webhooks.",
  team: "The team of a community: people who have a role, and invitations.",
  keys: "API keys, with which servers call the API for a community.",
  system: "Health of the service.",
};

/** A route with its area and names. Its handler is `functions/<area>/<file>.ts`. */
export type PlacedRoute = Route & {
  readonly area: string;
  readonly name: string;
  /** Title in the API reference. */
  readonly summary: string;
  /** Details in the API reference. */
  readonly description?: string;
  /** Name of the handler's file: `assign-to-tiers` for `assignToTiers`. */
  readonly file: string;
  /** Names the function in CloudFormation and the operation in OpenAPI: `BenefitsAssignToTiers`. */
  readonly id: string;
  /** The route key of API Gateway: `GET /health`. */
  readonly key: string;
};

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);

const methods = ["GET", "POST", "PATCH", "DELETE", "ANY"];

/** Order by path, then by method, because the order of a module's exports is not defined. */
const inOrder = ([, a]: [string, Route], [, b]: [string, Route]): number =>
  a.path === b.path ? methods.indexOf(a.method) - methods.indexOf(b.method) : a.path < b.path ? -1 : 1;

export const routes: readonly PlacedRoute[] = Object.entries(contract).flatMap(([area, module]) =>
  Object.entries(module)
    .filter((entry): entry is [string, Route] => entry[0] !== "docs")
    .toSorted(inOrder)
    .map(([name, route]) => ({
      ...route,
      ...textOf(area, name),
      area,
      name,
      file: name.replace(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`),
      id: `${capitalized(area)}${capitalized(name)}`,
      key: route.path === "$default" ? route.path : `${route.method} ${route.path}`,
    })),
);

/** Whether the route writes the record in its path, and therefore evaluates If-Match. */
export const isConditional = ({ method, path, etag, record }: Pick<Route, "method" | "path" | "etag" | "record">) =>
  method !== "GET" && path.includes("{id}") && (record !== undefined || etag === true);

/** All problems that a route may return: those that it declares, and those that follow from its other properties. */
export function problemsOf({
  method,
  access,
  maxSignInAge,
  path,
  query,
  body,
  cursor,
  etag,
  record,
  table,
  billing,
  limited,
  problems,
}: Route) {
  const codes = new Set<ProblemCode>([...(problems ?? []), "internal"]);
  const add = (...more: ProblemCode[]) => {
    for (const code of more) codes.add(code);
  };
  if (access !== "public") add("missing_token", "expired_token");
  // A public route refuses API keys.
  if (path !== "$default") add("forbidden", "invalid_token");
  if (maxSignInAge !== undefined) add("insufficient_user_authentication");
  if (path.includes("{")) add("not_found");
  if (query || isVersioned(path)) add("validation_failed");
  if (cursor) add("invalid_cursor");
  if (body) add("body_too_large");
  if (body && body !== "raw") add("validation_failed", "malformed_json", "unsupported_media_type");
  if (billing === "write" && access !== "public") add("outcome_unknown");
  if (billing) add("payment_processor_refused", "payment_processor_error", "payment_processor_unavailable");
  if (method === "POST" && access !== "public")
    add("request_in_progress", "idempotency_key_reused", "validation_failed");
  if (limited) add("too_many_requests");
  if (isConditional({ method, path, etag, record })) add("stale_record");
  if (table || access !== "public") add("unavailable", "timeout");
  return codes;
}
