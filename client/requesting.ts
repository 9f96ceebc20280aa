import type { OdisProblem } from "./problem.ts";
import { type OdisResponse, type Parts, requestOf } from "./request.ts";
import { type Fetch, type Retries, retrying } from "./retry.ts";
import { withTimeout } from "./time.ts";

export type OdisOptions = {
  /** URL of the API, such as `https://api.example.com`. */
  readonly baseUrl: string;
  readonly retries?: Retries;
  /**
   * Time limit of each request with its retries, in milliseconds. The parameters of a request can have another `timeout`.
   * Default: 60,000
   */
  readonly timeout?: number;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
} & (AsPerson | AsServer);

type AsPerson = {
  /**
   * Returns the access token. It is called before every request. Without a token, the request is anonymous. If the API
   * rejects a token as expired, it is called again with this token. If it then returns another one, the request is sent
   * again, once.
   */
  readonly token?: (rejected?: string) => string | undefined | Promise<string | undefined>;
  readonly apiKey?: undefined;
};

type AsServer = {
  /** An API key of a community, `odis_…`. Only for servers: whoever has the key can use it. */
  readonly apiKey: string;
  readonly token?: undefined;
};

type RequestFunction = (method: string, path: string, init?: Parts) => Promise<OdisResponse<unknown>>;

/** Creates the function that sends the requests of a client: with the token, within a time limit, and again if necessary. */
export function requesting({
  baseUrl,
  apiKey,
  token = () => apiKey,
  retries,
  timeout = 60_000,
  fetch,
}: OdisOptions): RequestFunction {
  const send = retrying(retries, fetch);

  return (method, path, init = {}) => {
    const limit = init.timeout ?? timeout;
    return withTimeout(limit, init.signal, async (signal) => {
      const end = performance.now() + limit;
      const sent = requestOf(baseUrl, method, path, { ...init, signal });
      if (sent.method === "POST" && !sent.headers.has("idempotency-key"))
        sent.headers.set("idempotency-key", crypto.randomUUID());
      const attempt = (bearer: string | false | undefined) => {
        if (bearer) sent.headers.set("authorization", `Bearer ${bearer}`);
        return send(sent, end);
      };
      const bearer = !init.anonymous && (await token());
      return attempt(bearer).catch(async (error: OdisProblem) => {
        const renewed = bearer && error.code === "expired_token" && (await token(bearer));
        if (renewed && renewed !== bearer) return attempt(renewed);
        throw error;
      });
    });
  };
}
