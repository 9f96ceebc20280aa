import { is } from "valibot";
import { rolesWith } from "#lib/auth/rights.ts";
import { isConditional, type PlacedRoute } from "#lib/contract/index.ts";
import { pathParameters } from "#lib/contract/route.ts";
import { Benefit } from "#lib/domain/benefit.ts";
import { Brand } from "#lib/domain/brand.ts";
import { Community } from "#lib/domain/community.ts";
import { Member } from "#lib/domain/member.ts";
import { Tier } from "#lib/domain/tier.ts";
import type { Example } from "#lib/values/documented.ts";
import { Person } from "#lib/values/person.ts";
import { exampleOf } from "./docs.ts";
import { linksOf } from "./links.ts";
import { headersOf, problemsByStatus, responseName } from "./responses.ts";
import { queryParameters, reference } from "./schemas.ts";

/** Returns a route as an OpenAPI operation. */
export function operation(route: PlacedRoute) {
  const { id, area, summary, description, query } = route;
  return {
    operationId: id,
    tags: [area],
    summary,
    description: [description, callersOf(route)].filter(Boolean).join("\n\n"),
    security: securityOf(route),
    parameters: [...parametersOfPath(route), ...(query ? queryParameters(query) : []), ...preconditions(route)],
    ...requestBody(route),
    responses: { ...answers(route), ...refusals(route) },
  };
}

function securityOf({ access, right }: PlacedRoute) {
  if (access === "public") return [];
  const bearer = { bearer: [] };
  if (access === "optional") return [{}, bearer];
  return right ? [bearer, { apiKey: [] }] : [bearer];
}

const callers = {
  public: "No token required.",
  optional: "A token is optional.",
  user: "",
  owner: "For the owner of the community, and admins.",
  editor: "For editors and admins.",
  admin: "For admins.",
} as const;

/** The callers of a route, with the roles of a team and of API keys that have its right. */
function callersOf({ access, right, csvRight, orSelf }: PlacedRoute): string {
  if (right) {
    const csv = csvRight ? ` As CSV, the roles are ${rolesWith(csvRight).join(" and ")}.` : "";
    const roles = rolesWith(right).join(", ");
    return `For the owner of the community, admins, and its team and API keys with the roles ${roles}.${csv}`;
  }
  return orSelf ? "For the owner of the community, admins, and the person themselves." : callers[access];
}

function parametersOfPath({ path, ids: form }: PlacedRoute) {
  const schema =
    form === "uuid"
      ? { type: "string", format: "uuid" }
      : { type: "integer", format: "int64", minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  return pathParameters(path).map(({ name, things, thing }) => ({
    name,
    in: "path",
    required: true,
    description: `The id of the ${thing}.`,
    schema,
    example: idExamples[things],
  }));
}

/** Examples of ids in the local stack's demo data and in the document's records. */
const idExamples: Readonly<Record<string, Example>> = {
  ...Object.fromEntries(
    Object.entries({ communities: Community, members: Member, tiers: Tier, benefits: Benefit, brands: Brand }).map(
      ([things, schema]) => [things, (exampleOf(schema, things) as { readonly id: Example }).id],
    ),
  ),
  users: (exampleOf(Person, "users") as { readonly id: Example }).id,
  producers: (exampleOf(Brand, "brands") as { readonly producer_ids: readonly Example[] }).producer_ids[0] ?? null,
};

function preconditions(route: PlacedRoute) {
  const { etag, method, access } = route;
  if (method === "GET") return etag ? [ifNoneMatch] : [];
  return [
    ...(method === "POST" && access !== "public" ? [idempotencyKey] : []),
    ...(isConditional(route) ? [ifMatch] : []),
  ];
}

const header = (name: string, description: string, limits = {}) => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string", ...limits },
});

const ifMatch = header(
  "If-Match",
  "Writes only if this is the record's current `ETag`. Otherwise, the response is 412.",
);

const ifNoneMatch = header(
  "If-None-Match",
  "`ETag` of the caller's copy. The response is 304 if the record has not changed.",
);

const idempotencyKey = header(
  "Idempotency-Key",
  "Makes the request safe to retry: within 24 hours, requests with the same key, caller, route and body take effect once and get the same response.",
  { minLength: 1, maxLength: 255, pattern: "^[ -~]+$" },
);

function requestBody({ body }: PlacedRoute) {
  if (!body) return {};
  const schema = body === "raw" ? { type: "object", description: "A Stripe event." } : reference(body);
  return {
    requestBody: { required: body === "raw" || !is(body, {}), content: { "application/json": { schema } } },
  };
}

function answers(route: PlacedRoute) {
  const { summary, method, etag, status = 200, output } = route;
  const headers = headersOf(route);
  const links = linksOf(route);
  return {
    [status]: {
      description: summary,
      headers,
      ...(output && {
        // CSV is mentioned only in the description, because generators would create a union type.
        content: { "application/json": { schema: reference(output) } },
      }),
      ...(Object.keys(links).length > 0 && { links }),
    },
    ...(etag && method === "GET" && { 304: { description: "The record has not changed.", headers } }),
  };
}

const refusals = (route: PlacedRoute) =>
  Object.fromEntries(
    Array.from(problemsByStatus(route), ([status, alike]) => [
      status,
      { $ref: `#/components/responses/${responseName(alike)}` },
    ]),
  );
