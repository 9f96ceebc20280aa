import * as v from "valibot";
import { Problem } from "../problem.ts";
import { keys } from "./keys.ts";
import type { Reader, Write, Writer } from "./table.ts";
import { write } from "./write.ts";

/** A response, as far as it is given again. */
const StoredResponse = v.object({
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
export type StoredResponse = v.InferOutput<typeof StoredResponse>;

/** The stored state of a request with an `Idempotency-Key`, under the id of its operation. */
const IdempotencyRecord = v.object({
  /** Of the body: the same key must come with the same body. */
  fingerprint: v.string(),
  /** When the request was made first, in milliseconds since 1970. */
  begun_at: v.number(),
  /** Until when an attempt may be going on, in milliseconds since 1970; nothing once it is done. */
  leased_until: v.optional(v.number()),
  /** Once it is done. */
  response: v.optional(StoredResponse),
});
type IdempotencyRecord = v.InferOutput<typeof IdempotencyRecord>;

/** An attempt at a request: its claim on the record. */
export type Claim = {
  /** What the request stands for: made from the caller, the route and the key. */
  readonly operationId: string;
  /** Tells this attempt from every other at the same operation. */
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
 * Claims a request, for a route whose effect is not of the table alone. An attempt that outlived its lease is one that
 * crashed, and is taken over. While another attempt has it, `otherwise` is thrown.
 */
export async function claim(
  table: Writer,
  by: Claim,
  { now, leasedUntil, otherwise }: { now: Date; leasedUntil: Date; otherwise: Error },
): Promise<void> {
  await write(table, [{ ...put(by, now, { leased_until: leasedUntil.getTime() }), otherwise }]);
}

/**
 * The write that stores the response, for a transaction with the effect that it tells of.
 * The transaction throws `request_in_progress` when another attempt was faster.
 */
export function completion(by: Claim, response: StoredResponse, now: Date): Write {
  if (Buffer.byteLength(response.body) > maxBytes)
    throw new Error(`A response of more than ${maxBytes} bytes is not stored`);
  return { ...put(by, now, { response }), otherwise: inProgress() };
}

/** Lets the next attempt begin at once: from nothing, or, where this one may have had an effect, with the same body only. */
export async function release(table: Writer, { operationId, attemptId }: Claim, leavesNothing: boolean): Promise<void> {
  const key = keys.replay(operationId);
  const when = { is: { attempt_id: attemptId } };
  await write(table, [leavesNothing ? { delete: key, when } : { update: key, set: { leased_until: 0 }, when }]);
}

/** What leaves room for the rest of an item, which may have 400 KB. */
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
