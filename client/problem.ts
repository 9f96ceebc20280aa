import type { OdisResponse } from "./request.ts";
import type { Problem } from "./schema.ts";

/** A request that the API refuses. Handle it by its `code`. */
export class OdisProblem extends Error {
  override readonly name = "OdisProblem";
  /** A code from the problems page of the API. `unknown` if the response is not from Odis, for example from a proxy. */
  readonly code: Problem["code"];
  readonly status: number;
  /** Identifies the request in the logs. `undefined` if the response is not from Odis. */
  readonly requestId: string | undefined;
  /** The errors of invalid fields and parameters. */
  readonly errors: NonNullable<Problem["errors"]>;
  /**
   * The whole problem document, including additional members of some codes: `refundable_cents`, `processor_code`,
   * `blockers`.
   */
  readonly problem: Partial<Problem>;

  constructor(status: number, problem: Partial<Problem> = {}) {
    super(problem.detail ?? problem.title);
    this.status = status;
    this.problem = problem;
    this.code = problem.code ?? "unknown";
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }
}

/**
 * Reads a response.
 * @throws OdisProblem if the request failed, or if the response is not from Odis: its body is ignored
 */
export async function read(response: Response): Promise<OdisResponse<unknown>> {
  const { status, url, headers } = response;
  const type = `${headers.get("content-type")}`;
  const data: unknown = type.includes("json") ? await response.json() : undefined;
  if (status === 204 || (status < 400 && data)) return { data, status, headers };
  const problem = type.includes("problem") ? data : { detail: `${url} is not Odis: ${status} ${type}` };
  throw new OdisProblem(status, problem as Problem);
}
