import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { backOff, type Runtime } from "../runtime.ts";

/** The item has changed since it was read, so the request has to run again. */
export class Conflict extends Error {
  override readonly name = "Conflict";
}

/** Others write the same items again and again. Nothing is broken: the caller may come again. */
export class Contention extends Problem {
  constructor(cause: unknown) {
    super("unavailable", { detail: "Too many requests write the same record", headers: retryAfter, cause });
  }
}

const retryAfter = { "retry-after": "1" };

const attempts = 6;

/**
 * Sends a command, again with full jitter while other transactions hold its items or the table is throttled.
 * What DynamoDB says is turned into our words here: the condition that does not hold into what `refusal` makes of its
 * index, an outage into `unavailable`, the request's deadline into `timeout`.
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
      if (!isPassing(error)) throw isOutage(error) ? unavailable(error) : error;
      if (tried === attempts) throw isThrottle(error) ? unavailable(error) : new Contention(error);
      measure("retries");
      await backOff(runtime, tried);
    }
  }
}

export const unavailable = (cause: unknown) => new Problem("unavailable", { headers: retryAfter, cause });

/** The index of the write whose condition did not hold. */
function failedCondition(error: unknown): number | undefined {
  if (nameOf(error) === "ConditionalCheckFailedException") return 0;
  const index = reasonsOf(error).indexOf("ConditionalCheckFailed");
  return index === -1 ? undefined : index;
}

const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded", "None"]);

/** Whether another try may succeed at once: another writer, or a throttle that the SDK does not retry by itself. */
function isPassing(error: unknown): boolean {
  const reasons = reasonsOf(error);
  if (reasons.length > 0) return reasons.every((reason) => passing.has(reason));
  return ["TransactionConflictException", "TransactionInProgressException"].includes(nameOf(error));
}

const isThrottle = (error: unknown): boolean => reasonsOf(error).some((reason) => /Thro/.test(reason));

const outages = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "InternalServerError",
  "ServiceUnavailable",
  // Of S3.
  "InternalError",
  "SlowDown",
  "TimeoutError",
  "AbortError",
]);

/** Whether DynamoDB itself failed, after the SDK's own retries, rather than our request being wrong. */
function isOutage(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return outages.has(nameOf(error)) || (typeof code === "string" && /^(E[A-Z]+|UND_ERR)/.test(code));
}

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : "");

function reasonsOf(error: unknown): readonly string[] {
  const { CancellationReasons = [] } = error as { CancellationReasons?: { Code?: string }[] };
  return CancellationReasons.map(({ Code = "None" }) => Code);
}
