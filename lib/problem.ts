/**
 * All problems that callers can receive: code, HTTP status and title (`docs/api.md`, section 1). Codes are public: a new code
 * is safe, but a changed code breaks callers.
 */
const catalogue = {
  malformed_json: [400, "The body is not a JSON object"],
  invalid_signature: [400, "The webhook signature is not valid"],
  missing_token: [401, "A bearer token is required"],
  invalid_token: [401, "The token is not valid"],
  expired_token: [401, "The token has expired"],
  insufficient_user_authentication: [401, "A more recent sign-in is required"],
  forbidden: [403, "The caller is not allowed to do this"],
  not_found: [404, "The record does not exist"],
  route_not_found: [404, "The route does not exist"],
  method_not_allowed: [405, "The route does not support this method"],
  subscription_already_canceled: [409, "The subscription has already ended"],
  not_scheduled_to_cancel: [409, "The subscription is not scheduled to be canceled"],
  period_ended: [409, "The end of the current period has passed"],
  no_subscription: [409, "The member has no subscription at the payment processor"],
  nothing_to_change: [409, "The member already has this tier and interval"],
  cancel_scheduled: [409, "The end of the subscription is scheduled: withdraw the cancellation first"],
  payment_overdue: [409, "A payment is overdue: it must be paid before the subscription can change"],
  subscription_not_managed: [409, "The subscription can only be changed in Stripe"],
  preview_expired: [409, "The preview no longer applies: request a new one"],
  too_many_changes: [409, "The subscription was changed too often today"],
  nothing_to_refund: [409, "There is nothing left to refund"],
  charge_already_refunded: [409, "The charge has already been refunded in full"],
  charge_disputed: [409, "The charge is disputed and cannot be refunded"],
  request_in_progress: [409, "The same request or operation is still running"],
  already_a_member: [409, "The caller already has a live subscription"],
  member_blocked: [409, "The person is blocked in this community"],
  community_archived: [409, "The community is archived"],
  tier_in_use: [409, "The tier is in use: archive it instead"],
  already_in_team: [409, "The person is already in the team"],
  slug_taken: [409, "The slug is already taken"],
  cannot_block_owner: [409, "The owner of a community cannot be blocked"],
  payment_processor_refused: [409, "The payment processor refused the request"],
  erasure_blocked: [409, "The person cannot be erased yet"],
  destination_disabled: [409, "The event destination is disabled"],
  person_erased: [409, "The person has been erased"],
  stale_record: [412, "The record has changed since it was read"],
  body_too_large: [413, "The body is too large"],
  unsupported_media_type: [415, "The body must be application/json"],
  validation_failed: [422, "The request is not valid"],
  invalid_cursor: [422, "The cursor does not belong to this list"],
  limit_reached: [422, "Limit reached"],
  idempotency_key_reused: [422, "The Idempotency-Key was used for another request"],
  unknown_tier: [422, "The tier does not belong to this community"],
  amount_exceeds_refundable: [422, "The amount exceeds what can be refunded"],
  too_many_requests: [429, "Too many requests"],
  internal: [500, "Something went wrong on our side"],
  payment_processor_error: [502, "The payment processor failed"],
  outcome_unknown: [503, "The request may have taken effect"],
  payment_processor_unavailable: [503, "The payment processor cannot be reached"],
  unavailable: [503, "A required service is not available"],
  timeout: [504, "The request took too long"],
} as const satisfies Record<string, readonly [status: number, title: string]>;

export type ProblemCode = keyof typeof catalogue;

/** Error codes of fields and parameters (`docs/api.md`, section 1). Public, like the codes of problems. */
export const issueCodes = [
  "required",
  "unknown_property",
  "wrong_type",
  "invalid_format",
  "too_short",
  "too_long",
  "too_small",
  "too_large",
  "too_few",
  "too_many",
  "not_one_of",
  "not_allowed",
  "read_only",
  "duplicate",
  "conflicts",
  "too_deep",
  "unknown_reference",
  "in_the_future",
  "foreign_origin",
  // Codes of a single record of an import:
  "already_a_member",
  "id_taken",
  "other_member",
  "other_user",
  "other_customer",
  "unknown_customer",
  "ambiguous_subscription",
  "cannot_block_owner",
  "person_erased",
] as const;
export type IssueCode = (typeof issueCodes)[number];

/** An error in one field of a body (`pointer`, RFC 6901) or one query parameter (`parameter`). */
export type Issue = { readonly code: IssueCode; readonly message: string } & (
  | { readonly pointer: string }
  | { readonly parameter: string }
);

type Options = {
  /** Description of this occurrence for people. Must not contain internal details. */
  readonly detail?: string;
  readonly errors?: readonly Issue[];
  /** Response headers that belong to the failure, such as `allow` or `retry-after`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the problem document. */
  readonly more?: Readonly<Record<string, number | string | null | readonly object[]>>;
  /** Set if the request had an effect before it failed, so that the response is stored for retries. Default: that of the cause. */
  readonly afterEffect?: true;
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
  readonly more: NonNullable<Options["more"]>;
  readonly afterEffect: boolean;

  constructor(code: ProblemCode, { detail, errors, headers = {}, more = {}, afterEffect, cause }: Options = {}) {
    const [status, title] = catalogue[code];
    super(detail ?? title, { cause });
    this.code = code;
    this.status = status;
    this.title = title;
    this.errors = errors;
    this.headers = headers;
    this.more = more;
    this.afterEffect = afterEffect ?? (cause instanceof Problem && cause.afterEffect);
  }
}

/** The error for a request that failed after it may have changed something. */
export const outcomeUnknown = (cause: unknown): Problem =>
  new Problem("outcome_unknown", { headers: { "retry-after": "1" }, cause });

/** A `validation_failed` problem whose detail describes its first error. */
export function validationFailed(errors: readonly Issue[], cause?: unknown): Problem {
  const [first] = errors;
  const name = first && ("parameter" in first ? first.parameter : fieldOf(first.pointer));
  const detail = `${name ?? "The body"} ${first?.message ?? "is not valid"}`;
  return new Problem("validation_failed", { detail, errors, cause });
}

/** The name of a field: `amount_cents` for `/amount_cents`, `tier_ids[1]` for `/benefit/tier_ids/1`, `""` for an empty key. */
function fieldOf(pointer: string): string {
  const [name] = pointer
    .replace(/\/(\d+)$/, "[$1]")
    .split("/")
    .slice(1)
    .slice(-1);
  return name === "" ? '""' : (name ?? "The body");
}

/** A 401 with the challenge of RFC 6750, section 3: without an error code where no token was given at all. */
export function unauthorized(code: keyof typeof challenges, { detail, cause }: Pick<Options, "detail" | "cause"> = {}) {
  const headers = { "www-authenticate": `Bearer realm="odis"${challenges[code]}` };
  return new Problem(code, { headers, cause, ...(detail !== undefined && { detail }) });
}

const challenges = {
  missing_token: "",
  invalid_token: ', error="invalid_token", error_description="The token is not valid"',
  expired_token: ', error="invalid_token", error_description="The token has expired"',
} as const;

/** Every code with its status and title: for the documents and the tests. */
export const problems = Object.entries(catalogue).map(([code, [status, title]]) => ({
  code: code as ProblemCode,
  status,
  title,
}));
