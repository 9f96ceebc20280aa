import type { CallOptions } from "./request.ts";
import type { Operations } from "./schema.ts";

export type Method = "get" | "post" | "patch" | "delete";

type Key = keyof Operations;

/** Paths that support a method. */
export type PathOf<M extends Method> = {
  [K in Key]: K extends `${Uppercase<M>} ${infer P}` ? P : never;
}[Key];

/** The operation of a method and a path. */
type OperationAt<M extends Method, P extends string> = Operations[`${Uppercase<M>} ${P}` & Key];

/** What a request returns. */
export type ResultOf<M extends Method, P extends string> = OperationAt<M, P>["result"];

type Init<M extends Method, P extends string> = Omit<OperationAt<M, P>, "result"> & CallOptions;

/** The arguments after the path: none are needed if the path has no parameters and the body no required fields. */
export type InitOf<M extends Method, P extends string> =
  Partial<Init<M, P>> extends Init<M, P> ? [init?: Init<M, P>] : [init: Init<M, P>];

type ListPage = { data: unknown[]; has_more: boolean };

/** Lists, whose pages have a cursor or a number. */
export type ListPath = {
  [P in PathOf<"get">]: ResultOf<"get", P> extends ListPage ? P : never;
}[PathOf<"get">];
