import type { ProblemCode } from "#lib/problem.ts";

/** What is wrong with one field of a body or one query parameter. */
export type FieldError = {
  readonly pointer?: string;
  readonly parameter?: string;
  readonly code: string;
  readonly message: string;
};

/** A refusal of the API: act on its `code`. `unknown` is one that does not come from Odis itself. */
export class OdisProblem extends Error {
  override readonly name = "OdisProblem";
  readonly code: ProblemCode | "unknown";
  readonly status: number;
  /** Names the request in the logs. */
  readonly requestId: string | undefined;
  readonly errors: readonly FieldError[];

  constructor({ status, code = "unknown", title, detail, request_id, errors = [] }: Document) {
    super(detail ?? title ?? `The API answered ${status}`);
    this.code = code;
    this.status = status;
    this.requestId = request_id;
    this.errors = errors;
  }
}

type Document = {
  readonly status: number;
  readonly code?: ProblemCode | "unknown";
  readonly title?: string;
  readonly detail?: string;
  readonly request_id?: string;
  readonly errors?: readonly FieldError[];
};

/** The problem that an answer is; a gateway's own answers are none of ours, and say little. */
export async function problemOf(response: Response): Promise<OdisProblem> {
  const isOurs = response.headers.get("content-type")?.startsWith("application/problem+json");
  const document = isOurs ? ((await response.json()) as Document) : {};
  return new OdisProblem({ ...document, status: response.status });
}
