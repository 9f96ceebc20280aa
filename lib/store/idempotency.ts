import * as v from "valibot";
import { Problem } from "../problem.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { type Write, write } from "./write.ts";

/** An answer, as far as it is given again. */
const Answer = v.object({
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
export type Answer = v.InferOutput<typeof Answer>;

const Run = v.object({
  /** Of the body: the same key must come with the same body. */
  fingerprint: v.string(),
  /** When the request was made first, in milliseconds since 1970. */
  begun_at: v.number(),
  /** Until when it may be going on, in milliseconds since 1970; nothing once it is done. */
  leased_until: v.optional(v.number()),
  /** Once it is done. */
  answer: v.optional(Answer),
});

/** A run of a request with an `Idempotency-Key`. */
export type Run = {
  /** What the request stands for: made from the caller, the route and the key. */
  readonly operationId: string;
  /** Tells this run from every other of the same operation. */
  readonly runId: string;
  readonly fingerprint: string;
  readonly begunAt: Date;
};

/** What is known of an operation; undefined when it is new, or more than 24 hours old. */
export async function find(table: Reader, operationId: string) {
  const item = await table.get(keys.replay(operationId));
  return item && v.parse(Run, item);
}

/**
 * Notes that the request is being run, for a route whose effect is not of the table alone. A run that outlived its
 * lease is one that crashed, and is taken over. While another run has it, `otherwise` is thrown.
 */
export async function claim(
  table: Writer,
  run: Run,
  { now, leasedUntil, otherwise }: { now: Date; leasedUntil: Date; otherwise: Error },
): Promise<void> {
  await write(table, [{ ...store(run, now, { leased_until: leasedUntil.getTime() }), otherwise }]);
}

/**
 * Stores the answer, for a transaction with the effect that it tells of.
 * The transaction throws `request_in_progress` when another run was faster.
 */
export function keep(run: Run, answer: Answer, now: Date): Write {
  if (Buffer.byteLength(answer.body) > maxBytes)
    throw new Error(`An answer of more than ${maxBytes} bytes is not kept`);
  return { ...store(run, now, { answer }), otherwise: inProgress() };
}

/** Lets the next run begin at once: from nothing, or, where this one may have done something, with the same body only. */
export async function release(table: Writer, { operationId, runId }: Run, leavesNothing: boolean): Promise<void> {
  const key = keys.replay(operationId);
  const when = { is: { run_id: runId } };
  await write(table, [leavesNothing ? { delete: key, when } : { update: key, set: { leased_until: 0 }, when }]);
}

/** What leaves room for the rest of an item, which may have 400 KB. */
const maxBytes = 300 * 1024;
const day = 24 * 60 * 60;

function store(
  { operationId, runId, fingerprint, begunAt }: Run,
  now: Date,
  state: { readonly leased_until: number } | { readonly answer: Answer },
): Write {
  const seconds = Math.floor(now.getTime() / 1000);
  const item = { run_id: runId, fingerprint, begun_at: begunAt.getTime(), expires_at: seconds + day };
  return {
    put: { ...keys.replay(operationId), ...item, ...state },
    when: {
      anyOf: [
        "absent",
        { is: { run_id: runId } },
        { is: { fingerprint }, atMost: { leased_until: now.getTime() } },
        { atMost: { expires_at: seconds } },
      ],
    },
  };
}

export const inProgress = (): Problem => new Problem("request_in_progress", { headers: { "retry-after": "1" } });
