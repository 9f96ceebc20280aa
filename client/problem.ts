import type { OdisResponse } from "./request.ts";
import type { Problem } from "./schema.ts";

/** A request that the API refuses. Handle it by its `code`. */
export class OdisProblem extends Error {
  override readonly name = "OdisProblem";
  /** A code from the problems page of the API. `unknown` if the response is not from Odis, for example from a proxy. */
  declare readonly code: Problem["code"];
  declare readonly status: number;
  /** Identifies the request in the logs. `undefined` if the response is not from Odis, or from its gateway. */
  declare readonly requestId: string | undefined;
  /** The errors of invalid fields and parameters. */
  declare readonly errors: NonNullable<Problem["errors"]>;
  /**
   * The whole problem document, including additional members of some codes: `refundable_cents`, `processor_code`,
   * `blockers`.
   */
  declare readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem> = {}) {
    const { detail, title, code = "unknown", request_id: requestId, errors = [] } = problem;
    super(detail ?? title);
    Object.assign(this, { status, problem, code, requestId, errors });
  }
}

/** Problems that say nothing about an earlier request with the same key: it may be running, or have had its effect. */
const inconclusive: readonly string[] = ["request_in_progress", "person_erased"];

/**
 * Whether an error proves that a request with an `Idempotency-Key` had no effect. A lost response and an error of the server
 * prove nothing. Nor do 401, 403 and 429, which are decided before the API looks for an earlier request with the same key.
 */
export const isRefusal = (error: unknown): boolean =>
  error instanceof OdisProblem && [404, 409, 412, 422].includes(error.status) && !inconclusive.includes(error.code);

/**
 * Reads a response.
 * @throws OdisProblem if the request failed, or if the response is not from Odis: its body is ignored
 */
export async function read(response: Response): Promise<OdisResponse<unknown>> {
  const { url, status, headers } = response;
  const type = String(headers.get("content-type"));
  const text = await response.text();
  let data: unknown;
  try {
    if (type.includes("json")) data = JSON.parse(text);
  } catch {
    // For example a proxy's page that is sent as JSON.
  }
  if (status === 204 || (status < 400 && data)) return { data, status, headers };
  // API Gateway's own responses have only a message.
  const message = (data as { readonly message?: string } | undefined)?.message;
  const code = message && (status === 429 ? "too_many_requests" : status === 503 ? "unavailable" : undefined);
  const foreign = { code, detail: code ? message : `${url} is not Odis: ${status} ${type}` };
  throw new OdisProblem(status, (type.includes("problem") && data) || foreign);
}
