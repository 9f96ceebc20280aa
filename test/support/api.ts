import * as v from "valibot";
import { afterAll, beforeAll, expect } from "vitest";
import { type Placed, problemsOf, routes } from "#lib/contract/index.ts";
import type { Params, Route } from "#lib/contract/route.ts";
import { type Stack, startStack } from "../../infra/local/stack.ts";
import { tokenFor } from "../../infra/local/users.ts";

/** Who calls: a user of the local stack, with groups. */
export type As = { readonly id: number; readonly groups?: readonly string[] };

export const admin: As = { id: 1, groups: ["admin"] };
export const editor: As = { id: 2, groups: ["editor"] };

type Call<R extends Route> = {
  readonly as?: As | undefined;
  readonly query?: Record<string, string | number | boolean>;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
} & (keyof Params<R> extends never ? object : { readonly params: Params<R> });

export type Answer<T> = { readonly status: number; readonly headers: Headers; readonly body: T };

type BodyOf<R extends Route> = R extends { output: infer S extends v.GenericSchema } ? v.InferOutput<S> : undefined;

/** A stack of its own for a test file, in memory: the built functions behind the gateway, over HTTP. */
export function startApi(stackOptions: Parameters<typeof startStack>[0] = {}) {
  let stack: Stack;
  const tokens = new Map<string, Promise<string>>();
  beforeAll(async () => {
    stack = await startStack(stackOptions);
    stack.listenToStripe();
  });
  afterAll(() => stack.stop());

  const tokenOf = ({ id, groups = [] }: As): Promise<string> => {
    const key = JSON.stringify([id, groups]);
    const token = tokens.get(key) ?? tokenFor(stack.cognito, { id, groups: [...groups], expiresIn: 3600 });
    tokens.set(key, token);
    return token;
  };

  /** A request as it is, without a contract. */
  const send = (path: string, init: RequestInit = {}): Promise<Response> => fetch(stack.url + path, init);

  /**
   * Calls a route as its types say. Whatever it answers must be what its contract promises: a body that its schema
   * takes, or a problem that it declares.
   */
  async function call<R extends Route>(route: R, options: Call<R>): Promise<Answer<BodyOf<R>>> {
    const {
      as,
      query = {},
      body,
      headers,
      params = {},
    } = options as Call<Route> & { params?: Record<string, unknown> };
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const response = await send(`${pathOf(route, params)}${search.size > 0 ? `?${search.toString()}` : ""}`, {
      method: route.method,
      headers: {
        ...(as && { authorization: `Bearer ${await tokenOf(as)}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = await readAnswer(response);
    if (answer.status >= 400) expect([...problemsOf(route)]).toContain((answer.body as Problem).code);
    else if (route.output && answer.status !== 304) v.parse(route.output, answer.body);
    return answer as Answer<BodyOf<R>>;
  }

  return {
    call,
    send,
    tokenOf,
    get table() {
      return stack.table;
    },
    get stack() {
      return stack;
    },
  };
}

/** The members of a problem document that tests look at. */
export type Problem = {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly request_id: string;
  readonly errors?: readonly { pointer?: string; parameter?: string; code: string; message: string }[];
};

export async function readAnswer(response: Response): Promise<Answer<unknown>> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** A path with its parameters filled in. */
export const pathOf = ({ path }: Route, params: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));

/** Every route but the one that takes what no other does. */
export const apiRoutes: readonly Placed[] = routes.filter(({ path }) => path !== "$default");
