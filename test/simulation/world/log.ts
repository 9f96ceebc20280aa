/** What made a request fail that is answered 500, by its id. */
const causes = new Map<string, string>();

type Failure = { readonly name?: string; readonly message?: string; readonly cause?: Failure };
type Line = { readonly request_id?: string; readonly problem?: string; readonly error?: Failure };

/** The defect behind a 500; undefined where it was none. */
export function takeCause(requestId: string): string | undefined {
  const cause = causes.get(requestId);
  causes.delete(requestId);
  return cause;
}

/** Takes what functions log from now on: nobody reads it, but for what is behind a 500. */
export function captureLog(): void {
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const text = String(chunk);
    if (!text.startsWith('{"')) return write(chunk, ...rest);
    if (text.includes('"problem":"internal"')) keep(JSON.parse(text) as Line);
    return true;
  };
}

/** What others refuse is no defect of ours: the webhook answers it with 500, so as to be asked again. */
function keep({ request_id, problem, error }: Line): void {
  if (request_id === undefined || problem !== "internal" || error?.cause?.name === "Problem") return;
  let cause = error;
  while (cause?.cause) cause = cause.cause;
  causes.set(request_id, cause?.message ?? "nobody knows why");
}
