import { type Call, isOk, type Outcome } from "./requests.ts";

type Tagged = { readonly name: string; readonly tag: string };

/** The record that a response contains, with its ETag. Undefined for other responses. */
export function tagged(route: string, { params }: Call, outcome: Outcome): Tagged | undefined {
  const { etag } = outcome.headers;
  const name = recordIn(route, params);
  return name !== undefined && isOk(outcome) && typeof etag === "string" ? { name, tag: etag } : undefined;
}

/** The part of an ETag that If-Match compares: before the dot (`docs/api.md`, section 1, "Concurrency"). */
export const editOf = (tag: string): string => tag.split(".")[0]?.replaceAll('"', "") ?? "";

/** The record that a path names by its parameter `id`. */
export function recordIn(route: string, params: Call["params"] = {}): string | undefined {
  const [, things] = /(\w+)\/\{id\}/.exec(route) ?? [];
  return things === undefined ? undefined : `${things} ${params.id}`;
}
