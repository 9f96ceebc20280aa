import { OdisProblem } from "./odis.ts";

/** For `catch`: a missing record is undefined. Throws every other error. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof OdisProblem && error.status === 404)) throw error;
}
