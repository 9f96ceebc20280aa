/** The parts of a request that its operation describes. */
export type Parts = {
  readonly params?: {
    readonly path?: Readonly<Record<string, unknown>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: Readonly<Record<string, unknown>>;
  };
  readonly body?: unknown;
  readonly anonymous?: boolean;
} & CallOptions;

export type CallOptions = {
  /** Cancels the request. */
  readonly signal?: AbortSignal;
  /** Time limit of the request with its retries, in milliseconds. Default: the `timeout` of `createOdis` */
  readonly timeout?: number;
};

/** A response with its body (`data`), status and headers, such as `etag`. */
export type OdisResponse<T> = { readonly data: T; readonly status: number; readonly headers: Headers };

/**
 * A request to the API. Query parameters and headers that are undefined or null are left out.
 *
 * @param path with parameters in braces: `/odis/v1/tiers/{id}`
 */
export function requestOf(
  baseUrl: string,
  method: string,
  path: string,
  { params = {}, body, signal }: Parts & { readonly signal: AbortSignal },
): Request {
  const route = path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(params.path?.[name] as string));
  const query = String(new URLSearchParams(given(params.query)));
  const headers = new Headers(given(params.header));
  if (body) headers.set("content-type", "application/json");
  return new Request(baseUrl.replace(/\/+$/, "") + route + (query && `?${query}`), {
    method: method.toUpperCase(),
    headers,
    body: JSON.stringify(body),
    signal,
  });
}

const given = (values: object = {}): [string, string][] =>
  Object.entries(values as Readonly<Record<string, string>>).filter(
    ([, value]) => value !== undefined && value !== null,
  );
