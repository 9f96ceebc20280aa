import createClient, { type Client } from "openapi-fetch";
import type { AnswerOf, CursorPath, InitOf, Method, PathOf, Paths, RouteAt } from "./paths.ts";
import { problemOf } from "./problem.ts";
import { type Retries, retrying } from "./retry.ts";

export type { Paths } from "./paths.ts";
export { type FieldError, OdisProblem } from "./problem.ts";
export {
  createSignIn,
  type SignedIn,
  type SignIn,
  SignInError,
  type SignInStep,
  type TotpSetup,
  type UserPool,
} from "./sign-in.ts";

type Options = {
  /** `https://…`, without a slash at the end. */
  readonly baseUrl: string;
  /** Gives the access token, before every request; none for an anonymous caller. */
  readonly token?: () => string | undefined | Promise<string | undefined>;
  readonly retries?: Retries;
  /** Another `fetch`, for tests. */
  readonly fetch?: (request: Request) => Promise<Response>;
};

/** Asks for a path of the contract, gives what it answers, and throws an `OdisProblem` for what it refuses. */
type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...init: InitOf<RouteAt<M, P>>
) => Promise<AnswerOf<RouteAt<M, P>>>;

type PageOf<P extends CursorPath> = AnswerOf<RouteAt<"get", P>>;
type ItemOf<P extends CursorPath> = PageOf<P> extends { data: readonly (infer T)[] } ? T : never;

export type Odis = {
  readonly get: Call<"get">;
  readonly post: Call<"post">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;
  /** Every page of a list that is walked by a cursor; the next one is asked for when it is needed. */
  readonly pages: <P extends CursorPath>(path: P, ...init: InitOf<RouteAt<"get", P>>) => AsyncGenerator<PageOf<P>>;
  /** Every record of such a list. */
  readonly iterate: <P extends CursorPath>(path: P, ...init: InitOf<RouteAt<"get", P>>) => AsyncGenerator<ItemOf<P>>;
  /** The `openapi-fetch` client beneath, for headers such as `ETag`. */
  readonly raw: Client<Paths>;
};

/**
 * The API of Odis with the types of its contract. Every POST carries an `Idempotency-Key`, so that it can be made again;
 * what can be made again is, when the network or the service fails (see `retry.ts`).
 */
export function createOdis({ baseUrl, token, retries, fetch }: Options): Odis {
  const raw = createClient<Paths>({ baseUrl, fetch: retrying(retries, fetch) });
  raw.use({
    async onRequest({ request }) {
      const bearer = await token?.();
      if (bearer !== undefined) request.headers.set("authorization", `Bearer ${bearer}`);
      if (request.method === "POST" && !request.headers.has("idempotency-key"))
        request.headers.set("idempotency-key", crypto.randomUUID());
    },
    async onResponse({ response }) {
      if (response.status >= 400) throw await problemOf(response);
    },
  });

  const untyped = raw.request as unknown as (method: string, path: string, init?: Loose) => Promise<{ data?: unknown }>;
  const ask = async (method: string, path: string, init?: Loose): Promise<unknown> =>
    (await untyped(method, path, init)).data;

  async function* pages(path: string, init: Loose = {}): AsyncGenerator<Page> {
    let cursor: string | null | undefined;
    do {
      const query = { per: 100, ...init.params?.query, ...(cursor && { cursor }) };
      const page = (await ask("get", path, { ...init, params: { ...init.params, query } })) as Page;
      yield page;
      cursor = page.next_cursor;
    } while (cursor);
  }

  async function* iterate(path: string, init?: Loose): AsyncGenerator {
    for await (const { data } of pages(path, init)) yield* data;
  }

  const asks = Object.fromEntries(
    ["get", "post", "patch", "delete"].map((method) => [
      method,
      (path: string, init?: Loose) => ask(method, path, init),
    ]),
  );
  return { ...asks, pages, iterate, raw } as unknown as Odis;
}

/** The same without its types: the seam where what is checked meets what is sent. */
type Loose = { readonly params?: { readonly query?: object } };
type Page = { readonly data: readonly unknown[]; readonly next_cursor: string | null };
