import { CommanderError } from "commander";
import { OdisProblem, SignInError } from "../odis.ts";
import { isRefusal } from "../problem.ts";

/** Exit codes, besides 0. `failed` is everything else, such as a full disk. */
export const exitCodes = { failed: 1, usage: 2, refused: 3, unreachable: 4, interrupted: 130 } as const;

/** A mistake in the call of a command, or something that is missing, such as a session or a confirmation. */
export class UsageError extends Error {}

/** The import is complete, but rows were refused. */
export class RowsRefused extends Error {}

/** Somebody has pressed Ctrl-C before the response to a request. */
export class Interrupted extends Error {}

/** A POST that failed. It may have taken effect, unless its cause proves that it has not. */
export class FailedPost extends Error {
  override readonly cause: Error;
  /** Its `Idempotency-Key`. */
  readonly key: string;

  constructor(key: string, { cause }: { readonly cause: Error }) {
    super(cause.message, { cause });
    this.cause = cause;
    this.key = key;
  }
}

/** A failed command, as `--json` prints it to standard error: `{"error": {…}}`. */
export type Failure = {
  /** A code of the API, the name of Cognito's exception, `usage`, `rows_refused`, `unreachable`, `interrupted` or `failed`. */
  readonly code: string;
  readonly message: string;
  readonly exit_code: number;
  readonly status?: number;
  readonly request_id?: string;
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly message: string }[];
  /** `Idempotency-Key` of a POST that may have taken effect. Repeating the command with it has no further effect. */
  readonly key?: string;
  /** URL of the API, once it is known. */
  readonly api_url?: string;
};

/** Errors of the file system that follow from the arguments. */
const fileErrors = new Set(["ENOENT", "EACCES", "EISDIR", "ENOTDIR"]);

/** Converts an error to a failure. @param apiUrl the API that was called, if any */
export function failureOf(error: Error, apiUrl?: string): Failure {
  const { message } = error;
  if (error instanceof FailedPost) {
    const { cause, key } = error;
    return { ...failureOf(cause, apiUrl), ...(!isWithoutEffect(cause) && { key }) };
  }
  const at = apiUrl === undefined ? {} : { api_url: apiUrl };
  if (error instanceof OdisProblem) {
    const { code, status, requestId, errors } = error;
    const exit_code = status >= 500 || status === 429 ? exitCodes.unreachable : exitCodes.refused;
    return {
      code,
      message,
      exit_code,
      status,
      ...(requestId !== undefined && { request_id: requestId }),
      errors,
      ...at,
    };
  }
  if (error instanceof SignInError) return { code: error.code, message, exit_code: exitCodes.refused, ...at };
  if (error instanceof RowsRefused) return { code: "rows_refused", message, exit_code: exitCodes.refused, ...at };
  if (error instanceof Interrupted)
    return {
      code: "interrupted",
      message: "The request may have taken effect",
      exit_code: exitCodes.interrupted,
      ...at,
    };
  if (isConnectionError(error)) {
    const host = apiUrl === undefined ? "The server" : apiUrl;
    return {
      code: "unreachable",
      message: `${host} cannot be reached: ${causeOf(error)}`,
      exit_code: exitCodes.unreachable,
      ...at,
    };
  }
  if (error instanceof CommanderError) return { code: "usage", message: usageOf(error), exit_code: exitCodes.usage };
  if (isUsage(error)) return { code: "usage", message, exit_code: exitCodes.usage };
  return { code: "failed", message, exit_code: exitCodes.failed, ...at };
}

/** Whether an error proves that the request had no effect, or was not sent. */
const isWithoutEffect = (error: Error): boolean => isRefusal(error) || error instanceof SignInError || isUsage(error);

const isUsage = (error: Error): boolean =>
  error instanceof UsageError || ("code" in error && fileErrors.has(String(error.code)));

/** Describes a usage error in one line. Commander has already printed the help of a group if its command is missing. */
const usageOf = ({ code, message }: CommanderError): string =>
  code === "commander.help"
    ? "The command is missing"
    : `${message.replace(/^error: |\.$/g, "").replaceAll("\n", " ")}. Add --help to see the options`;

/** `fetch` throws a TypeError with the reason as its cause. */
const isConnectionError = (error: Error): boolean =>
  (error instanceof TypeError && error.cause !== undefined) || error.name === "TimeoutError";

/** The connection to a name with several addresses fails with an AggregateError, which has no message. */
export function causeOf({ cause, message }: Error): string {
  if (cause instanceof AggregateError) return (cause.errors as Error[]).map((error) => error.message).join(", ");
  return cause instanceof Error ? cause.message : message;
}

/** Formats a failure for people. Invalid fields are listed instead of the message, which repeats them. */
export function linesOf({ code, message, request_id, errors = [], key }: Failure): string[] {
  const request = request_id === undefined ? "" : ` (request ${request_id})`;
  const hint = key === undefined ? [] : [`Repeat the command with --key ${key}`];
  if (errors.length === 0) return [code === "usage" ? message : `${code}: ${message}${request}`, ...hint];
  const fields = errors.map(({ pointer, parameter, message: why }) => `  ${pointer ?? parameter}: ${why}`);
  return [`${code}${code === "validation_failed" ? "" : `: ${message}`}${request}`, ...fields];
}
