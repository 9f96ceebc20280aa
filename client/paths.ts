import type { GenericSchema, InferInput, InferOutput } from "valibot";
import type { Contract } from "#lib/contract/index.ts";
import type { Params, Route } from "#lib/contract/route.ts";

type RoutesOf<Area> = Area extends unknown ? Area[keyof Area] : never;
type Served = Exclude<RoutesOf<Contract[keyof Contract]>, { path: "$default" }>;

/** Routes by their key: `GET /health`. */
type ByKey = { [R in Served as `${R["method"]} ${R["path"]}`]: R };

export type Method = "get" | "post" | "patch" | "delete";

/** Paths that take a method. */
export type PathOf<M extends Method> = {
  [R in Served as R["method"]]: R["path"];
}[Uppercase<M>];

/** Lists that are walked by a cursor. */
export type CursorPath = Extract<Served, { cursor: true }>["path"];

/** The route of a method and a path. */
export type RouteAt<M extends Method, P extends string> = Extract<ByKey[`${Uppercase<M>} ${P}` & keyof ByKey], Route>;

/** A query as a program writes it: numbers and booleans where the wire has text. */
type QueryOf<S extends GenericSchema> = {
  readonly [Name in keyof InferInput<S>]: Name extends keyof InferOutput<S> ? InferOutput<S>[Name] : never;
};

type HeadersOf<R extends Route> = R["method"] extends "POST"
  ? { readonly "Idempotency-Key"?: string }
  : R["method"] extends "GET"
    ? { readonly "If-None-Match"?: string }
    : { readonly "If-Match"?: string };

type ParametersOf<R extends Route> = { readonly header?: HeadersOf<R> } & (keyof Params<R> extends never
  ? unknown
  : { readonly path: Params<R> }) &
  (R extends { query: infer S extends GenericSchema } ? { readonly query?: QueryOf<S> } : unknown);

type BodyOf<R extends Route> = R extends { body: infer S extends GenericSchema } ? InferInput<S> : never;

/** What `openapi-fetch` knows of an operation. A problem is thrown, so there is one answer. */
type Operation<R extends Route> = {
  readonly parameters: ParametersOf<R>;
  readonly requestBody?: { readonly content: { readonly "application/json": BodyOf<R> } };
  readonly responses: { readonly 200: { readonly content: { readonly "application/json": AnswerOf<R> } } };
};

/**
 * The contract as `openapi-typescript` would generate it from `openapi.json`. It is deduced instead, so that there is
 * nothing to generate and nothing to go stale.
 */
export type Paths = {
  [P in Served["path"]]: {
    [R in Extract<Served, { path: P }> as Lowercase<R["method"]>]: Operation<Extract<R, Route>>;
  };
};

/** What a route answers. */
export type AnswerOf<R extends Route> = R extends { output: infer S extends GenericSchema }
  ? InferOutput<S>
  : undefined;

/** What a request is made of, in the words of `openapi-fetch`. */
export type Init<R extends Route> = (keyof Params<R> extends never
  ? { readonly params?: ParametersOf<R> }
  : { readonly params: ParametersOf<R> }) &
  (BodyOf<R> extends never
    ? unknown
    : Partial<BodyOf<R>> extends BodyOf<R>
      ? { readonly body?: BodyOf<R> }
      : { readonly body: BodyOf<R> }) & { readonly signal?: AbortSignal };

/** The arguments after the path: none where nothing is needed. */
export type InitOf<R extends Route> = Partial<Init<R>> extends Init<R> ? [init?: Init<R>] : [init: Init<R>];
