import { type Deployment, discover } from "./discover.ts";
import type { InitOf, ListPath, Method, PathOf, ResultOf } from "./operations.ts";
import { problemOf } from "./problem.ts";
import { type Parts, requestOf } from "./request.ts";
import { type Fetch, type Retries, retrying } from "./retry.ts";
import type { Membership } from "./schema.ts";
import { defaultTimeout, withTimeout } from "./time.ts";
import { type WaitOptions, waitForAccess } from "./wait-for-access.ts";

export { SignInError, type UserPool } from "./cognito.ts";
export type { Deployment } from "./discover.ts";
export { OdisProblem } from "./problem.ts";
export type { Retries } from "./retry.ts";
export type * from "./schema.ts";
export { tokenOf } from "./session.ts";
export { createSignIn, type SignedIn, type SignIn, type SignInStep, type TotpSetup } from "./sign-in.ts";
export type { CodeSent, Names, SignUp } from "./sign-up.ts";
export type { WaitOptions } from "./wait-for-access.ts";

export type OdisOptions = {
  /** URL of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /** Returns the access token. It is called before every request. Without a token, the request is anonymous. */
  readonly token?: () => string | undefined | Promise<string | undefined>;
  readonly retries?: Retries;
  /**
   * Time limit of each request with its retries, in milliseconds. The parameters of a request can have another `timeout`.
   * Default: 60,000
   */
  readonly timeout?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
};

/**
 * Sends a request and returns the body of the response, or nothing for 204.
 * @throws OdisProblem if the API refuses the request, TypeError if it cannot be reached, DOMException `TimeoutError`
 */
type Call<M extends Method> = <P extends PathOf<M>>(path: P, ...init: InitOf<M, P>) => Promise<ResultOf<M, P>>;

type PageOf<P extends ListPath> = ResultOf<"get", P>;
type ItemOf<P extends ListPath> = PageOf<P>["data"][number];

/** A response with its body (`data`), status and headers, such as `etag`. */
export type OdisResponse<T> = { readonly data: T; readonly status: number; readonly headers: Headers };

export type Odis = {
  readonly get: Call<"get">;
  readonly post: Call<"post">;
  readonly patch: Call<"patch">;
  readonly delete: Call<"delete">;
  /** Sends a request and returns the body, status and headers of the response. @throws OdisProblem, TypeError */
  readonly request: <M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...init: InitOf<M, P>
  ) => Promise<OdisResponse<ResultOf<M, P>>>;
  /**
   * Iterates over the pages of a list, with 100 records each by default. Fetches a page when it is needed. In a list with
   * page numbers, a record can be skipped or repeated if others are added or removed in the meantime.
   */
  readonly pages: <P extends ListPath>(path: P, ...init: InitOf<"get", P>) => AsyncGenerator<PageOf<P>>;
  /** Iterates over the records of a list, as `pages` does. */
  readonly iterate: <P extends ListPath>(path: P, ...init: InitOf<"get", P>) => AsyncGenerator<ItemOf<P>>;
  /**
   * Waits until the caller has access to a community, for example after a checkout.
   *
   * @returns the membership. Its `access.granted` is false if the time is over, or if the owner has blocked the caller
   * @throws OdisProblem if the API refuses the request, TypeError and DOMException `TimeoutError` if it never responded
   */
  readonly waitForAccess: (communityId: number, options?: WaitOptions) => Promise<Membership>;
};

/**
 * Creates a client of the API, with the types of its OpenAPI document. Every POST carries an `Idempotency-Key`, so that
 * a request that fails in the network or in the service can be retried safely (see `Retries`).
 */
export const createOdis: CreateOdis = /* @__PURE__ */ Object.assign(create, { discover });

type CreateOdis = {
  (options: OdisOptions): Odis;
  /**
   * Reads the settings of a deployment, for `createOdis` and `createSignIn`.
   *
   * @param url URL of the API, such as `https://api.example.com`
   * @throws OdisProblem if there is no Odis at this URL, TypeError if it cannot be reached
   */
  readonly discover: (url: string) => Promise<Deployment>;
};

function create({ baseUrl, token, retries, timeout = defaultTimeout, fetch }: OdisOptions): Odis {
  const send = retrying(retries, fetch);

  const request = (method: string, path: string, init: Parts = {}): Promise<OdisResponse<unknown>> => {
    const limit = init.timeout ?? timeout;
    return withTimeout(limit, init.signal, async (signal) => {
      const end = performance.now() + limit;
      const sent = requestOf(baseUrl, method, path, { ...init, signal });
      const bearer = init.anonymous ? undefined : await token?.();
      if (bearer !== undefined) sent.headers.set("authorization", `Bearer ${bearer}`);
      if (sent.method === "POST" && !sent.headers.has("idempotency-key"))
        sent.headers.set("idempotency-key", crypto.randomUUID());
      const response = await send(sent, end);
      if (response.status >= 400) throw await problemOf(response);
      const text = await response.text();
      const { status, headers } = response;
      return { data: text === "" ? undefined : (JSON.parse(text) as unknown), status, headers };
    });
  };

  const call = (method: string) => async (path: string, init?: Parts) => (await request(method, path, init)).data;

  async function* pages(path: string, init: Parts = {}): AsyncGenerator<Page> {
    let next = {};
    for (let hasMore = true; hasMore; ) {
      const query = { per: 100, ...init.params?.query, ...next };
      const { data } = await request("get", path, { ...init, params: { ...init.params, query } });
      const page = data as Page;
      yield page;
      hasMore = page.has_more;
      next = "page" in page ? { page: page.page + 1 } : { cursor: page.next_cursor };
    }
  }

  async function* iterate(path: string, init?: Parts): AsyncGenerator {
    for await (const { data } of pages(path, init)) yield* data;
  }

  const get = call("get");

  // The methods are typed by path here. The functions above accept any path.
  return {
    get,
    post: call("post"),
    patch: call("patch"),
    delete: call("delete"),
    request,
    pages,
    iterate,
    waitForAccess: (community_id: number, options?: WaitOptions) =>
      waitForAccess(
        (init) =>
          get("/odis/v1/communities/{community_id}/membership", { ...init, params: { path: { community_id } } }),
        options,
      ),
  } as unknown as Odis;
}

type Page = { readonly data: readonly unknown[]; readonly has_more: boolean } & (
  | { readonly page: number }
  | { readonly next_cursor: string | null }
);
