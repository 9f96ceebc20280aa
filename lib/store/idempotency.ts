import * as v from "valibot";
import { Problem } from "../problem.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** The parts of a response that a repeated request receives. */
const StoredResponse = v.object({
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
export type StoredResponse = v.InferOutput<typeof StoredResponse>;

/** The stored state of a request with an `Idempotency-Key`, under the id of its operation. */
const IdempotencyRecord = v.object({
  /** Hash of the body. A repeated request must have the same body. */
  fingerprint: v.string(),
  /** Time of the first attempt, in milliseconds since 1970. */
  begun_at: v.number(),
  /** End of the current attempt's lease, in milliseconds since 1970. Undefined once the request is done. */
  leased_until: v.optional(v.number()),
  /** Undefined until the request is done. */
  response: v.optional(StoredResponse),
});
type IdempotencyRecord = v.InferOutput<typeof IdempotencyRecord>;

/** The claim of an attempt on an idempotency record. */
export type Claim = {
  /** Identifies the request: derived from the caller, the route and the key. */
  readonly operationId: string;
  /** Unique for each attempt at the same operation. */
  readonly attemptId: string;
  readonly fingerprint: string;
  readonly begunAt: Date;
};

/** Returns the stored state of an operation. Undefined if it is new, or more than 24 hours old. */
export async function find(table: Reader, operationId: string): Promise<IdempotencyRecord | undefined> {
  const item = await table.get(keys.replay(operationId));
  return item && v.parse(IdempotencyRecord, item);
}

/**
 * Claims a request of a route that has effects outside the table. Throws `otherwise` while another attempt holds the
 * claim. An attempt whose lease has ended is considered crashed, and its claim is taken over.
 */
export async function claim(
  table: Writer,
  by: Claim,
  { now, leasedUntil, otherwise }: { now: Date; leasedUntil: Date; otherwise: Error },
): Promise<void> {
  await write(table, [{ ...put(by, now, { leased_until: leasedUntil.getTime() }), otherwise }]);
}

/**
 * The write that stores the response, for the transaction that has the effect of the request. The transaction throws
 * `request_in_progress` if another attempt was faster.
 */
export function completion(by: Claim, response: StoredResponse, now: Date): Write {
  if (Buffer.byteLength(response.body) > maxBytes)
    throw new Error(`A response of more than ${maxBytes} bytes is not stored`);
  return { ...put(by, now, { response }), otherwise: inProgress() };
}

/** Ends a claim, so that the next attempt can begin. It must have the same body, unless this attempt had no effect. */
export async function release(table: Writer, { operationId, attemptId }: Claim, hasNoEffect: boolean): Promise<void> {
  const key = keys.replay(operationId);
  // The response may have been stored although the write seemed to fail.
  const when = { is: { attempt_id: attemptId, response: undefined } };
  await write(table, [hasNoEffect ? { delete: key, when } : { update: key, set: { leased_until: 0 }, when }]);
}

/** Maximum size of a stored body. An item may have 400 KB. */
const maxBytes = 300 * 1024;
const day = 24 * 60 * 60;

function put(
  { operationId, attemptId, fingerprint, begunAt }: Claim,
  now: Date,
  state: Pick<IdempotencyRecord, "leased_until"> | Pick<IdempotencyRecord, "response">,
): Write {
  const seconds = Math.floor(now.getTime() / 1000);
  const item = { attempt_id: attemptId, fingerprint, begun_at: begunAt.getTime(), expires_at: seconds + day };
  return {
    put: { ...keys.replay(operationId), ...item, ...state },
    when: {
      anyOf: [
        "absent",
        { is: { attempt_id: attemptId } },
        { is: { fingerprint }, atMost: { leased_until: now.getTime() } },
        { atMost: { expires_at: seconds } },
      ],
    },
  };
}

export const inProgress = (): Problem => new Problem("request_in_progress", { headers: { "retry-after": "1" } });
