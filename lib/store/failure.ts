import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { backOff, type Runtime } from "../runtime.ts";

/** The item has changed since it was read. The request has to be repeated. */
export class Conflict extends Error {
  override readonly name = "Conflict";
}

/** Concurrent requests keep writing the same items. The caller may retry. */
export class Contention extends Problem {
  constructor(cause: unknown) {
    super("unavailable", { detail: "Too many requests write the same record", headers: retryAfter, cause });
  }
}

const retryAfter = { "retry-after": "1" };

const attempts = 6;

/**
 * Sends a command. Retries with full jitter while other transactions hold its items or the table is throttled. Translates
 * errors: a failed condition into the error that `refusal` returns for its index, an outage into `unavailable`, the
 * deadline of the request into `timeout`.
 */
export async function attempt<T>(
  send: () => Promise<T>,
  { runtime, signal }: { readonly runtime: Runtime; readonly signal: AbortSignal | undefined },
  refusal?: (index: number) => Error,
): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await send();
    } catch (error) {
      const failed = failedCondition(error);
      if (refusal && failed !== undefined) throw refusal(failed);
      if (signal?.aborted) throw new Problem("timeout", { headers: retryAfter, cause: error });
      if (!isTransient(error)) throw isOutage(error) ? unavailable(error) : error;
      if (tried === attempts) throw isThrottle(error) ? unavailable(error) : new Contention(error);
      measure("retries");
      await backOff(runtime, tried);
    }
  }
}

export const unavailable = (cause: unknown) => new Problem("unavailable", { headers: retryAfter, cause });

/** The index of the write whose condition failed. */
function failedCondition(error: unknown): number | undefined {
  if (nameOf(error) === "ConditionalCheckFailedException") return 0;
  const { index, code } = firstReason(error) ?? {};
  return code === "ConditionalCheckFailed" ? index : undefined;
}

const transient = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** Whether a retry may succeed at once: after a conflict, or a throttle that the SDK does not retry itself. */
function isTransient(error: unknown): boolean {
  const reason = firstReason(error);
  if (reason) return transient.has(reason.code);
  return ["TransactionConflictException", "TransactionInProgressException"].includes(nameOf(error));
}

const isThrottle = (error: unknown): boolean => /Thro/.test(firstReason(error)?.code ?? "");

const outages = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "InternalServerError",
  "ServiceUnavailable",
  // Errors of S3.
  "InternalError",
  "SlowDown",
  "TimeoutError",
  "AbortError",
]);

/** Whether the service failed, after the retries of the SDK. False for an invalid request. */
function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return outages.has(nameOf(error)) || (typeof code === "string" && /^(E[A-Z]+|UND_ERR)/.test(code));
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

/**
 * The reason of the first write that a transaction was canceled for. Callers order writes by whose failure counts. A later
 * condition that fails beside a conflict may fail because of the other transaction, which the first would show.
 */
function firstReason(error: unknown): { readonly index: number; readonly code: string } | undefined {
  const { CancellationReasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return CancellationReasons.map(({ Code: code = "None" }, index) => ({ index, code })).find(
    ({ code }) => code !== "None",
  );
}
