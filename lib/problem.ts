/**
 * Every failure a caller can see, once: its code, its HTTP status and its title (`api.md`, section 1).
 * Codes are public: adding one is safe, changing one breaks callers.
 */
const catalogue = {
  malformed_json: [400, "The body is not a JSON object"],
  missing_token: [401, "A bearer token is required"],
  invalid_token: [401, "The token is not valid"],
  expired_token: [401, "The token has expired"],
  forbidden: [403, "The caller may not do this"],
  not_found: [404, "There is no such record"],
  route_not_found: [404, "There is no such route"],
  method_not_allowed: [405, "The route does not take this method"],
  cannot_block_owner: [409, "The owner of a community cannot be blocked in it"],
  stale_record: [412, "The record has changed since it was read"],
  body_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body must be application/json"],
  validation_failed: [422, "The request is not valid"],
  invalid_cursor: [422, "The cursor is not one of this list"],
  internal: [500, "Something went wrong on our side"],
  unavailable: [503, "A part that this needs is not available"],
  timeout: [504, "The request took too long"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof catalogue;

/** What is wrong with one field of a body (`pointer`, RFC 6901) or one query parameter (`parameter`). */
export type Issue = { readonly code: string; readonly message: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
);

type Options = {
  /** What happened this time, for a person. Never holds anything of the inside. */
  readonly detail?: string;
  readonly errors?: readonly Issue[];
  /** Response headers that belong to the failure, such as `allow` or `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/** An expected failure. Thrown by any layer; `http/reply.ts` turns it into `application/problem+json` (RFC 9457). */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly status: number;
  readonly title: string;
  readonly errors: readonly Issue[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, { detail, errors, headers = {}, cause }: Options = {}) {
    const [status, title] = catalogue[code];
    super(detail ?? title, { cause });
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = errors;
    this.headers = headers;
  }
}

/** Every code with its status and title: for the documents and the tests. */
export const problems = Object.entries(catalogue).map(([code, [status, title]]) => ({
  code: code as ProblemCode,
  status,
  title,
}));
