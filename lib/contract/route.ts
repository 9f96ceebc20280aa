import type { GenericSchema, InferInput, InferOutput } from "valibot";
import type { Right } from "../auth/rights.ts";
import type { ProblemCode } from "../problem.ts";

/** A schema whose entries are the columns of a table. An entry that is an object has a column for each of its entries, also if it can be null. */
export type Columns = { readonly entries: Readonly<Record<string, Column | { readonly wrapped: Column }>> };

type Column = GenericSchema | { readonly entries: object };

/**
 * A route as plain data. API Gateway, IAM, types, OpenAPI, the local server and the tests are derived from it. Its texts are
 * in `docs` at the end of the file.
 *
 * Must be a literal (`as const satisfies Route`) without calls and spreads, with schemas by name from `lib/domain`, so that
 * esbuild can remove all other routes from a function's bundle.
 */
export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "ANY";
  /** Path with parameters in braces, as in API Gateway. `$default` matches requests that match no other route. */
  readonly path: `/${string}` | "$default";
  /**
   * Who may call the route. `public`: anybody, without a token. `optional`: anybody; a token identifies the caller. `user`:
   * any signed-in user. `owner`: the owner of the community in the path, or of the record's community, and members of its
   * team who have the `right` of the route. `editor`: the group `editor`. The group `admin` may call all routes
   * (`docs/api.md`, section 2).
   */
  readonly access: "public" | "optional" | "user" | "owner" | "editor" | "admin";
  /** The right that a role needs for a route with access `owner`. Without one, the route is for the owner and admins only. */
  readonly right?: Right;
  /** The right that a role needs for the response as CSV. Default: `right`. */
  readonly csvRight?: Right;
  /** The user with the id `user_id` in the path may call a route with access `owner` too. */
  readonly orSelf?: true;
  /** Maximum age of the caller's sign-in by the claim `auth_time`, in seconds (RFC 9470). */
  readonly maxSignInAge?: number;
  /** Values of query parameters for which an `optional` route requires a token, because they refer to the caller. */
  readonly personal?: Readonly<Record<string, string>>;
  /** The format of the ids in the path. Default: integers (`docs/api.md`, section 1). */
  readonly ids?: "uuid";
  readonly query?: GenericSchema<Record<string, unknown>, unknown>;
  /** The schema of a JSON body, or `raw` for the unparsed text of a signed webhook. */
  readonly body?: GenericSchema | "raw";
  readonly status?: 200 | 201 | 202 | 204;
  readonly output?: GenericSchema;
  /** Template of the header `Location`. Braces are filled from the response, then from the path. */
  readonly location?: `/${string}`;
  /** The record in the path, if the response is another record or empty. If-Match is compared with its ETag. */
  readonly record?: GenericSchema;
  /** The response is a record with a strong ETag, and writes evaluate If-Match. */
  readonly etag?: true;
  /** The list has signed cursors. */
  readonly cursor?: true;
  /** Responses have signed previews, which a later request sends back. */
  readonly previews?: true;
  /** The schema of a CSV row, if pages of the list are available as CSV. */
  readonly csv?: Columns;
  /** Other schemas of a CSV row, by the value of the parameter `columns`. */
  readonly csvFiles?: Readonly<Record<string, Columns & GenericSchema>>;
  /** Problems other than those that follow from a token, a body, a query or a table. */
  readonly problems?: readonly ProblemCode[];
  /** Access to the table. It determines the IAM actions and the type of `table` in the handler. */
  readonly table?: "read" | "write";
  /** The only partitions that a route without a token may access (`lib/store/partitions.ts`). */
  readonly partitions?: readonly PartitionName[];
  /** The route also reads the indexes of the table. */
  readonly indexes?: true;
  /** The route reads snapshots of the directory. */
  readonly snapshots?: true;
  /** The route erases people: it writes to the bucket of erasures and deletes accounts of the user pool. */
  readonly erases?: true;
  /** The route uses secrets of event destinations: it can decrypt them, and its stored responses are encrypted. */
  readonly seals?: true;
  /** The route reads the verified email address of the caller, or of the person in the path, from the user pool. */
  readonly readsAddress?: true;
  /** The route queues deliveries to event destinations. */
  readonly queues?: true;
  /** Access to Stripe. Determines which of the two secrets the function can read, and extends its time limit. */
  readonly billing?: "read" | "write";
  /** The rate limit of each caller. */
  readonly limited?: Limit;
  /** Fields of an object in the body. The rate limit applies only to bodies with one of them. */
  readonly limitedFor?: { readonly in: string; readonly fields: readonly string[] };
  /** The route redirects people to URLs of configured origins. */
  readonly redirects?: true;
};

/** The texts of a route in the API reference: its title, and optionally a description. */
export type RouteDoc = string | readonly [summary: string, description: string];

/**
 * Partitions of the table: the directory with the pointer to its snapshots; people with their memberships; `nobody`, an
 * empty partition that is read to open a connection; the people by `sub`; communities with their tiers and benefits, the
 * lists of communities, and their slugs and tier ids.
 */
export type PartitionName =
  | "directory"
  | "users"
  | "nobody"
  | "subjects"
  | "communities"
  | "communityLists"
  | "slugs"
  | "tierParents";

/**
 * Rate limits of callers (`docs/api.md`, section 1, "Rate limits"). `money`: routes that move money or block people, which
 * also have a tight throttle. `refunds`: counted with `money`, and refused if they cannot be counted. `processor`: other
 * routes that call Stripe. `deliveries`: routes that send events on demand. `keys`: creates an API key.
 */
export type Limit = "money" | "refunds" | "processor" | "deliveries" | "keys";

/** `"/a/{b}/{c}"` → `"b" | "c"`. */
type ParamName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamName<Rest>
  : never;

export type Params<R extends Route> = {
  readonly [Name in ParamName<R["path"]>]: R["ids"] extends "uuid" ? string : number;
};
export type Query<R extends Route> = R extends { query: infer S extends GenericSchema } ? InferOutput<S> : undefined;
export type Body<R extends Route> = R extends { body: infer S }
  ? S extends GenericSchema
    ? InferOutput<S>
    : string
  : undefined;
/** The return value of a handler, before it is reduced to the output schema. */
export type Answer<R extends Route> =
  | (R extends { output: infer S extends GenericSchema } ? InferInput<S> : void)
  | (R extends { csvFiles: Readonly<Record<string, infer Row extends GenericSchema>> }
      ? CursorPage<InferInput<Row>>
      : never);

/** A page of a list with cursors. */
export type CursorPage<Row> = {
  readonly data: readonly Row[];
  /** The number of records, if the list has it and it is known. */
  readonly total?: number | null;
  readonly next_cursor: string | null;
};

/** The parameters of a path with what they identify: `{ name: "id", things: "communities", thing: "community" }`. */
export const pathParameters = (path: Route["path"]) =>
  Array.from(path.matchAll(/(\w+)\/\{(\w+)\}/g), ([, things = "", name = ""]) => ({
    name,
    things,
    thing: things.replace(/ies$/, "y").replace(/s$/, "").replaceAll("_", " "),
  }));

/** Whether a route belongs to the versioned API, which rejects unknown query parameters. */
export const isVersioned = (path: Route["path"]): boolean => /^\/(odis|api)\/v1\//.test(path);
