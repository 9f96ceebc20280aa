import { type OdisProblem, problemOf } from "./problem.ts";
import { type Parts, requestOf } from "./request.ts";
import { type Fetch, type Retries, retrying } from "./retry.ts";
import { withTimeout } from "./time.ts";

export type OdisOptions = {
  /** URL of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  /**
   * Returns the access token. It is called before every request. Without a token, the request is anonymous. If the API
   * rejects a token as expired, it is called again with this token. If it then returns another one, the request is sent
   * again, once.
   */
  readonly token?: (rejected?: string) => string | undefined | Promise<string | undefined>;
  readonly retries?: Retries;
  /**
   * Time limit of each request with its retries, in milliseconds. The parameters of a request can have another `timeout`.
   * Default: 60,000
   */
  readonly timeout?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
};

/** A response with its body (`data`), status and headers, such as `etag`. */
export type OdisResponse<T> = { readonly data: T; readonly status: number; readonly headers: Headers };

type RequestFunction = (method: string, path: string, init?: Parts) => Promise<OdisResponse<unknown>>;

/** Creates the function that sends the requests of a client: with the token, within a time limit, and again if necessary. */
export function requesting({ baseUrl, token, retries, timeout = 60_000, fetch }: OdisOptions): RequestFunction {
  const send = retrying(retries, fetch);

  return (method, path, init = {}) => {
    const limit = init.timeout ?? timeout;
    return withTimeout(limit, init.signal, async (signal) => {
      const end = performance.now() + limit;
      const sent = requestOf(baseUrl, method, path, { ...init, signal });
      if (sent.method === "POST" && !sent.headers.has("idempotency-key"))
        sent.headers.set("idempotency-key", crypto.randomUUID());
      const attempt = async (bearer: string | undefined): Promise<Response | OdisProblem> => {
        if (bearer) sent.headers.set("authorization", `Bearer ${bearer}`);
        const response = await send(sent, end);
        return response.status < 400 ? response : problemOf(response);
      };
      const bearer = init.anonymous ? undefined : await token?.();
      let response = await attempt(bearer);
      if (bearer && "code" in response && response.code === "expired_token") {
        const renewed = await token?.(bearer);
        if (renewed && renewed !== bearer) response = await attempt(renewed);
      }
      if ("code" in response) throw response;
      const { status, headers } = response;
      return { data: status === 204 ? undefined : await response.json(), status, headers };
    });
  };
}
