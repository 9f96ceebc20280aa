import { type Deployment, discover } from "./discover.ts";
import type { InitOf, ListPath, Method, PathOf, ResultOf } from "./operations.ts";
import type { OdisResponse, Parts } from "./request.ts";
import { type OdisOptions, requesting } from "./requesting.ts";
import type { Membership } from "./schema.ts";
import { type WaitOptions, waitForAccess } from "./wait-for-access.ts";

export type { Account } from "./account.ts";
export { SignInError, type SignInErrorCode, type UserPool } from "./cognito.ts";
export type { Deployment } from "./discover.ts";
export { OdisProblem } from "./problem.ts";
export type { OdisResponse } from "./request.ts";
export type { OdisOptions } from "./requesting.ts";
export type { Retries } from "./retry.ts";
export type * from "./schema.ts";
export { createSession, type Session, type SessionOptions, type SessionState, type SessionStorage } from "./session.ts";
export { createSignIn, type SignedIn, type SignIn, type SignInStep, type TotpSetup } from "./sign-in.ts";
export type { CodeSent, Names, SignUp } from "./sign-up.ts";
export { tokenOf } from "./token-of.ts";
export type { WaitOptions } from "./wait-for-access.ts";

/**
 * Sends a request and returns the body of the response, or nothing for 204.
 * @throws OdisProblem if the API refuses the request, TypeError if it cannot be reached, DOMException `TimeoutError`
 */
type Call<M extends Method> = <P extends PathOf<M>>(path: P, ...init: InitOf<M, P>) => Promise<ResultOf<M, P>>;

type PageOf<P extends ListPath> = ResultOf<"get", P>;
type ItemOf<P extends ListPath> = PageOf<P>["data"][number];

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

function create(options: OdisOptions): Odis {
  const request = requesting(options);
  const call = (method: string) => async (path: string, init?: Parts) => (await request(method, path, init)).data;
  const get = call("get");

  async function* pages(path: string, init: Parts = {}): AsyncGenerator<Page> {
    let next = {};
    let page: Page;
    do {
      const query = { per: 100, ...init.params?.query, ...next };
      page = (await get(path, { ...init, params: { ...init.params, query } })) as Page;
      yield page;
      next = page.page ? { page: page.page + 1 } : { cursor: page.next_cursor };
    } while (page.has_more);
  }

  async function* iterate(path: string, init?: Parts): AsyncGenerator {
    for await (const { data } of pages(path, init)) yield* data;
  }

  // The methods are typed by path here. The functions above accept any path.
  return {
    get,
    post: call("post"),
    patch: call("patch"),
    delete: call("delete"),
    request,
    pages,
    iterate,
    waitForAccess: (community_id: number, wait?: WaitOptions) =>
      waitForAccess(
        (init) =>
          get("/odis/v1/communities/{community_id}/membership", {
            ...init,
            params: { path: { community_id } },
          }) as Promise<Membership>,
        wait,
      ),
  } as unknown as Odis;
}

/** A page with a number, from 1, or with a cursor. */
type Page = {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
  readonly page?: number;
  readonly next_cursor?: string | null;
};
