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
    super(problem.detail ?? problem.title ?? `The API answered ${status}`);
    this.status = status;
    this.problem = problem;
    this.code = problem.code ?? "unknown";
    this.requestId = problem.request_id;
    this.errors = problem.errors ?? [];
  }
}

/** Reads the problem from a response. The body of a response that is not from Odis is ignored. */
export async function problemOf(response: Response): Promise<OdisProblem> {
  const isOurs = response.headers.get("content-type")?.includes("problem+json");
  return new OdisProblem(response.status, isOurs ? ((await response.json()) as Problem) : {});
}
