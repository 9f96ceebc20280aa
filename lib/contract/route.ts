import type { GenericSchema, InferInput, InferOutput } from "valibot";
import type { ProblemCode } from "../problem.ts";

/** A schema of records whose entries are the columns of a table; an object among them is a column for each of its own. */
export type Columns = { readonly entries: Readonly<Record<string, GenericSchema | { readonly entries: object }>> };

/**
 * One route, as plain data. API Gateway, IAM, types, OpenAPI, the local server and the tests are read from it,
 * so a fact about a route is written here or nowhere. Its text is in `docs` at the end of the file.
 *
 * Keep it a literal (`as const satisfies Route`): no calls, no spreads, schemas by name from `lib/domain`.
 * That is what lets esbuild drop every other route from a function's bundle.
 */
export type Route = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE" | "ANY";
  /** Path parameters in braces, as API Gateway writes them; `$default` takes what no other route does. */
  readonly path: `/${string}` | "$default";
  /**
   * Who may call it. `public`: anybody, and a token is not looked at. `optional`: anybody; a token says who it is.
   * `user`: any signed-in user. `owner`: the owner of the community in the path, or of the one that the record belongs
   * to. `editor`: the group. Whoever is in the group `admin` may call all of these (`docs/api.md`, section 2).
   */
  readonly access: "public" | "optional" | "user" | "owner" | "editor" | "admin";
  /** The most seconds since the caller signed in, by the claim `auth_time` (RFC 9470). */
  readonly maxSignInAge?: number;
  /** Values of query parameters that are about the caller: with one of them, an `optional` route asks for a token. */
  readonly personal?: Readonly<Record<string, string>>;
  /** The form of the ids in the path; integers where nothing is said (`docs/api.md`, section 1). */
  readonly ids?: "uuid";
  readonly query?: GenericSchema<Record<string, unknown>, unknown>;
  /** A schema for a JSON body, or `raw` for its text as it came: signed webhooks. */
  readonly body?: GenericSchema | "raw";
  readonly status?: 200 | 201 | 202 | 204;
  readonly output?: GenericSchema;
  /** Where the answered record is from now on, for `Location`: braces are filled from the answer, then from the path. */
  readonly location?: `/${string}`;
  /** The record that the path names, where the answer is another or none: If-Match is compared with its ETag. */
  readonly record?: GenericSchema;
  /** The answer is one record: it carries a strong ETag, and its writes honour If-Match. */
  readonly etag?: true;
  /** The list is walked by signed cursors. */
  readonly cursor?: true;
  /** A page of the list can be asked for as CSV too: the schema of a row. */
  readonly csv?: Columns;
  /** Problems beyond those that come with having a token, a body, a query or a table. */
  readonly problems?: readonly ProblemCode[];
  /** Access to the table. It determines the IAM actions and the type of `table` in the handler. */
  readonly table?: "read" | "write";
  /** The only partitions that it may reach, for a route that needs no token: see `lib/store/partitions.ts`. */
  readonly partitions?: readonly PartitionName[];
  /** It reads the indexes of the table too. */
  readonly indexes?: true;
  /** It reads the directory's snapshots. */
  readonly snapshots?: true;
  /** It erases people: writes to the bucket of erasures and deletes accounts of the user pool. */
  readonly erases?: true;
  /** It makes or uses secrets of event destinations, so it can decrypt them, and its stored responses are encrypted. */
  readonly seals?: true;
  /** It queues deliveries to event destinations. */
  readonly queues?: true;
  /** What it may do at Stripe: decides which of the two secrets it can read. It gets more time too. */
  readonly billing?: "read" | "write";
  /** A caller may do it, and all else of the same bucket, so often; see `Limit`. */
  readonly limited?: Limit;
  /** It is limited only where its body has a value at this place. */
  readonly limitedFor?: readonly string[];
  /** It sends people back to addresses of configured origins. */
  readonly redirects?: true;
};

/** What the API reference says of a route: its title, and a description where the title is not enough. */
export type RouteDoc = string | readonly [summary: string, description: string];

/**
 * Partitions of the table: the directory with the pointer to its snapshots; people with their memberships, or the one of
 * nobody, which is read to open a connection; which person the `sub` of a token is; communities with their tiers and
 * benefits, the lists of them, and what leads to them.
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
 * What counts together (`docs/api.md`, section 1, "Rate limits"): what moves money or keeps people out, of which the
 * gateway takes fewer at once too; refunds, which are part of that and refused where they cannot be counted; what else
 * asks the payment processor; and what sends events to receivers on demand.
 */
export type Limit = "money" | "refunds" | "processor" | "deliveries";

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
/** What a handler returns: the answer before it is cut to its schema. */
export type Answer<R extends Route> = R extends { output: infer S extends GenericSchema } ? InferInput<S> : void;

/** The parameters of a path, and what each of them identifies: `{ name: "id", things: "communities", thing: "community" }`. */
export const pathParameters = (path: Route["path"]) =>
  Array.from(path.matchAll(/(\w+)\/\{(\w+)\}/g), ([, things = "", name = ""]) => ({
    name,
    things,
    thing: things.replace(/ies$/, "y").replace(/s$/, "").replaceAll("_", " "),
  }));

/** Whether a route belongs to the versioned API, which rejects unknown query parameters. */
export const isVersioned = (path: Route["path"]): boolean => /^\/(odis|api)\/v1\//.test(path);
