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
      if (tried === attempts) throw lastingFailure(error, refusal !== undefined);
      measure("retries");
      await backOff(runtime, tried);
    }
  }
}

/** Whoever decides by what they have read decides again if a condition fails too. */
function lastingFailure(error: unknown, isConditional: boolean): Error {
  if (isThrottle(error)) return unavailable(error);
  const hasFailed = isConditional && reasonsOf(error).includes(conditionFailed);
  return hasFailed ? new Conflict("A condition failed beside a conflict", { cause: error }) : new Contention(error);
}

export const unavailable = (cause: unknown) => new Problem("unavailable", { headers: retryAfter, cause });

const conditionFailed = "ConditionalCheckFailed";

/**
 * The index of the write whose condition failed, if that is the first reason. Callers put the write whose failure matters most
 * first. If a write before a failed condition is in conflict, the condition may have failed only because of the other
 * transaction. A retry then shows which write fails first.
 */
function failedCondition(error: unknown): number | undefined {
  if (nameOf(error) === "ConditionalCheckFailedException") return 0;
  const reasons = reasonsOf(error);
  const first = reasons.findIndex((reason) => reason !== "None");
  return reasons[first] === conditionFailed ? first : undefined;
}

const transient = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "None"]);

/** Whether a retry may succeed at once: after a conflict, or a throttle that the SDK does not retry itself. */
function isTransient(error: unknown): boolean {
  const reasons = reasonsOf(error);
  if (reasons.length === 0)
    return ["TransactionConflictException", "TransactionInProgressException"].includes(nameOf(error));
  const isKnown = reasons.every((reason) => transient.has(reason) || reason === conditionFailed);
  return isKnown && failedCondition(error) === undefined;
}

const isThrottle = (error: unknown): boolean => reasonsOf(error).some((reason) => /Thro/.test(reason));

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

function reasonsOf(error: unknown): readonly string[] {
  const { CancellationReasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return CancellationReasons.map(({ Code = "None" }) => Code);
}
