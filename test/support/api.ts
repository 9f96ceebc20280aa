import * as v from "valibot";
import { afterAll, beforeAll, expect, inject } from "vitest";
import { type PlacedRoute, problemsOf, routes } from "#lib/contract/index.ts";
import type { Params, Route } from "#lib/contract/route.ts";
import type { WholeTable } from "#lib/store/table.ts";
import { type Stack, startStack } from "../../tools/local/stack.ts";
import { password, subOf, tokenFor } from "../../tools/local/users.ts";
import { joinDeployed } from "./deployed.ts";
import { operations } from "./openapi.ts";

/** The caller: a user id with groups. `authTime` is the time of sign-in in seconds since 1970, for unsigned tokens. */
export type As = { readonly id: number; readonly groups?: readonly string[]; readonly authTime?: number };

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

/** The stack under test: local or deployed. */
export type Running = {
  readonly url: string;
  /** The table as the functions see it. */
  readonly table: WholeTable;
  /** Signs in. */
  readonly tokenOf: (as: As) => Promise<string>;
  /** Gives a person an account with a verified email address. */
  readonly verifiedAddressOf: (as: As) => Promise<string>;
  /** Waits until the projections have counted all writes to a community. */
  readonly settled: (communityId: number) => Promise<void>;
  readonly stop: () => Promise<void>;
};

/** A local stack for a test file, in memory: the built functions behind the gateway, over HTTP. */
function startLocal(stack: Stack): Running {
  stack.listen();
  return {
    ...stack,
    tokenOf: ({ id, groups = [] }) => tokenFor(stack.cognito, { id, groups: [...groups], expiresIn: 3600 }),
    async verifiedAddressOf({ id }) {
      const account = { username: subOf(id), sub: subOf(id), email: `user${id}@example.com`, password };
      return (await stack.cognito.addUser(account)).email;
    },
  };
}

/** A build with functions of two versions (`test/versions`). Responses of older functions may lack fields of the contract. */
const { MIXED_BUILD: mixedBuild } = process.env;

/** The API under test: a local stack of the test file, or the stack that was deployed before all tests. */
export function startApi(stackOptions: Parameters<typeof startStack>[0] = {}) {
  const deployed = inject("deployed");
  let local: Stack | undefined;
  let running: Running;
  const tokens = new Map<string, Promise<string>>();
  beforeAll(async () => {
    if (deployed) running = joinDeployed(deployed);
    else {
      local = await startStack({ ...stackOptions, ...(mixedBuild !== undefined && { dist: mixedBuild }) });
      running = startLocal(local);
    }
  });
  afterAll(() => running.stop());

  const tokenOf = ({ id, groups = [] }: As): Promise<string> => {
    const key = JSON.stringify([id, groups]);
    const token = tokens.get(key) ?? running.tokenOf({ id, groups });
    tokens.set(key, token);
    return token;
  };

  /** Sends a request without checking it against the contract. */
  const send = (path: string, init: RequestInit = {}): Promise<Response> => fetch(running.url + path, init);

  /**
   * Calls a route with typed parameters. Fails unless the response matches the contract: a body that matches its schema, or a
   * declared problem.
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
    if (!deployed) expect(undocumentedHeaders(route, answer)).toEqual([]);
    if (answer.status >= 400) expect([...problemsOf(route)]).toContain((answer.body as Problem).code);
    else if (route.output && answer.status !== 304 && mixedBuild === undefined) v.parse(route.output, answer.body);
    return answer as Answer<BodyOf<R>>;
  }

  return {
    call,
    send,
    tokenOf,
    get table() {
      return running.table;
    },
    /** Origin of the API, to which checkout may redirect. */
    get origin() {
      return new URL(running.url).origin;
    },
    async verifiedAddressOf(as: As): Promise<string> {
      // On a deployed stack, the account is made at the first sign-in.
      await tokenOf(as);
      return running.verifiedAddressOf(as);
    },
    settled: (communityId: number) => running.settled(communityId),
    /** The local stack. */
    get stack(): Stack {
      if (!local) throw new Error("This test needs a local stack");
      return local;
    },
  };
}

/** The members of a problem document that tests check. */
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
  return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text };
}

/** Headers of all responses: those of HTTP and of API Gateway, and those that docs/api.md states for all. */
const general = new Set([
  "apigw-requestid",
  "connection",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "transfer-encoding",
  "cache-control",
  "strict-transport-security",
  "vary",
  "x-content-type-options",
]);

/** The headers of a local response that openapi.json does not declare for its route and status. */
function undocumentedHeaders({ method, path }: Route, { status, headers }: Answer<unknown>): string[] {
  const { responseHeaders = {} } = operations.find(({ key }) => key === `${method} ${path}`) ?? {};
  const declared = responseHeaders[status] ?? [];
  return [...headers.keys()].filter((name) => !general.has(name) && !declared.includes(name));
}

/** A path with its parameters filled in. */
export const pathOf = ({ path }: Route, params: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));

/** All routes except the fallback. */
export const apiRoutes: readonly PlacedRoute[] = routes.filter(({ path }) => path !== "$default");
