/** The error behind each 500 response, by request id. */
const causes = new Map<string, string>();

type Failure = { readonly name?: string; readonly message?: string; readonly cause?: Failure };
type Line = { readonly request_id?: string; readonly problem?: string; readonly error?: Failure };

/** Returns the defect behind a 500 response. Undefined if there was none. */
export function takeCause(requestId: string): string | undefined {
  const cause = causes.get(requestId);
  causes.delete(requestId);
  return cause;
}

/** Captures the log of the functions. Keeps only the errors behind 500 responses. */
export function captureLog(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const text = String(chunk);
    if (!text.startsWith('{"')) return write(chunk, ...rest);
    if (text.includes('"problem":"internal"')) keep(JSON.parse(text) as Line);
    return true;
  };
}

/**
 * Stores the cause of an internal error. A refusal by another system is not a defect: the webhook responds to it with
 * 500 so that Stripe retries.
 */
function keep({ request_id, problem, error }: Line): void {
  if (request_id === undefined || problem !== "internal" || error?.cause?.name === "Problem") return;
  let cause = error;
  while (cause?.cause) cause = cause.cause;
  causes.set(request_id, cause?.message ?? "nobody knows why");
}
