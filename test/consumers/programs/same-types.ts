import type { paths } from "./paths.js";
import type { Operations } from "./schema.js";

type Same<A, B> = [Plain<A>] extends [Plain<B>] ? ([Plain<B>] extends [Plain<A>] ? true : false) : false;

/** A type without named parts, in which optional and required fields differ. */
type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends object
    ? { [Name in keyof T]-?: [isOptional: object extends Pick<T, Name> ? true : false, Plain<T[Name]>] }
    : T;

/** The type of a part of an operation that may be missing. */
type Part<T, Name extends string> = T extends { [N in Name]?: infer Value } ? Given<NonNullable<Value>> : undefined;
type Given<T> = [T] extends [never] ? undefined : T;
type Json<T> = T extends { content: { "application/json": infer Body } } ? Body : undefined;

type Method<K> = K extends `${infer M} /${string}` ? Lowercase<M> : never;
type Path<K> = K extends `${string} /${infer Rest}` ? `/${Rest}` : never;
type Described<K> = Part<Part<paths, Path<K>>, Method<K>>;

/** What openapi-typescript reads of an operation. */
type Theirs<K> = {
  path: Part<Part<Described<K>, "parameters">, "path">;
  query: Part<Part<Described<K>, "parameters">, "query">;
  body: Json<Part<Described<K>, "requestBody">>;
  result: Result<Part<Described<K>, "responses">>;
};
type Result<R> = R extends { 200: infer Ok } | { 201: infer Ok } | { 202: infer Ok } ? Json<Ok> : undefined;

/** The same of the client's own types. */
type Ours<K extends keyof Operations> = {
  path: Part<Part<Operations[K], "params">, "path">;
  query: Part<Part<Operations[K], "params">, "query">;
  body: Part<Operations[K], "body">;
  result: Operations[K]["result"];
};

type Different = { [K in keyof Operations]: Same<Ours<K>, Theirs<K>> extends true ? never : K }[keyof Operations];

/** Does not compile if an operation differs, and names it. */
export const different: { [K in Different]: never } = {};
