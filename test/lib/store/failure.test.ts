import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import { attempt as attemptWith, Conflict } from "#lib/store/failure.ts";

const named = (name: string, more: object = {}) => Object.assign(new Error(name), { name, ...more });
const canceled = (...codes: string[]) =>
  new TransactionCanceledException({
    $metadata: {},
    message: "Transaction cancelled",
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

/** A runtime that does not wait. */
const runtime = { ...machine, wait: async () => {} };

const attempt = <T>(send: () => Promise<T>, signal?: AbortSignal, refusal?: (index: number) => Error) =>
  attemptWith(send, { runtime, signal }, refusal);

/** A call that throws the failures in turn, then succeeds. Counts its attempts in `tries`. */
function failing(...failures: Error[]) {
  const remaining = [...failures];
  const send = async () => {
    send.tries++;
    const failure = remaining.shift();
    if (failure) throw failure;
    return "done";
  };
  send.tries = 0;
  return send;
}

describe("a call to the table", () => {
  it.each([
    ["a conflict with another transaction", canceled("None", "TransactionConflict")],
    ["throttling in a transaction", canceled("ThrottlingError", "None")],
    ["a conflict of a single write with a transaction", named("TransactionConflictException")],
  ])("a call to the table is retried after %s", async (_, failure) => {
    const send = failing(failure, failure);
    expect(await attempt(send)).toBe("done");
    expect(send.tries).toBe(3);
  });

  it("a call to the table throws 503 unavailable if the transaction conflict persists", async () => {
    const send = failing(...Array.from({ length: 6 }, () => canceled("TransactionConflict")));
    await expect(attempt(send)).rejects.toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
    expect(send.tries).toBe(6);
  });

  it.each(["ThrottlingException", "ProvisionedThroughputExceededException", "InternalServerError", "TimeoutError"])(
    "a call to the table throws 503 unavailable without a further retry after %s, which the SDK has retried",
    async (name) => {
      const send = failing(named(name));
      await expect(attempt(send)).rejects.toMatchObject({ code: "unavailable" });
      expect(send.tries).toBe(1);
    },
  );

  it("a call to the table throws 503 unavailable if the connection is refused", async () => {
    await expect(attempt(failing(named("Error", { code: "ECONNREFUSED" })))).rejects.toMatchObject({
      code: "unavailable",
    });
  });

  it("a call to the table throws the error of the first condition that failed, even before a transaction conflict", async () => {
    const refusal = (index: number) => new Conflict(String(index));
    const send = failing(canceled("None", "ConditionalCheckFailed", "TransactionConflict", "ConditionalCheckFailed"));
    await expect(attempt(send, undefined, refusal)).rejects.toThrow("1");
    await expect(attempt(failing(named("ConditionalCheckFailedException")), undefined, refusal)).rejects.toThrow("0");
  });

  it("a call to the table is retried if a condition failed after a transaction conflict, and throws the error of the first condition that fails in the retry", async () => {
    const refusal = (index: number) => new Conflict(String(index));
    const during = canceled("TransactionConflict", "ConditionalCheckFailed");
    const send = failing(during, canceled("ConditionalCheckFailed", "ConditionalCheckFailed"));
    await expect(attempt(send, undefined, refusal)).rejects.toThrow("0");
    expect(send.tries).toBe(2);
  });

  it("a call to the table throws a Conflict if a condition keeps failing after a transaction conflict", async () => {
    const send = failing(...Array.from({ length: 6 }, () => canceled("TransactionConflict", "ConditionalCheckFailed")));
    await expect(attempt(send, undefined, () => new Error("Refused"))).rejects.toThrow(Conflict);
    expect(send.tries).toBe(6);
  });

  it("a call to the table is not retried after a conflict beside an invalid write", async () => {
    const send = failing(canceled("TransactionConflict", "ValidationError"));
    await expect(attempt(send)).rejects.toThrow(TransactionCanceledException);
    expect(send.tries).toBe(1);
  });

  it("a call to the table throws 504 timeout at the request's deadline", async () => {
    const failure = attempt(failing(named("AbortError")), AbortSignal.abort());
    await expect(failure).rejects.toMatchObject({ code: "timeout", status: 504 });
  });

  it("a call to the table throws a ValidationException of DynamoDB unchanged", async () => {
    await expect(attempt(failing(named("ValidationException")))).rejects.toThrow("ValidationException");
  });
});
