import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import type { Sealing } from "../delivery/sealing.ts";
import { newUuid } from "../ids.ts";
import { logError, measure } from "../log.ts";
import { outcomeUnknown, Problem } from "../problem.ts";
import { Conflict } from "../store/failure.ts";
import * as records from "../store/idempotency.ts";
import { mayHaveActed } from "../store/operation-state.ts";
import type { Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import type { EffectOptions } from "./effects.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RequestedOperation } from "./operation.ts";
import { type Reply, replayedReply, replyWithProblem, storedResponse } from "./reply.ts";

/** One attempt at a request. After a conflict with another writer, an attempt decides the request again. */
export type Attempt = {
  /** Time of the first attempt. */
  readonly begunAt: Date;
  /** Whether there was an earlier attempt. It may have failed before it had any effect. */
  readonly isContinuation: boolean;
  /** Reads whether an earlier attempt has begun an operation that Stripe has not refused. */
  readonly hasOperation: () => Promise<boolean>;
  /** The table for one decision. */
  readonly table: () => Writer;
  /** Stores the response, in one transaction with the pending writes. */
  readonly storeResponse: (table: Writer, reply: Reply) => Promise<void>;
};

type IdempotentRequest = EffectOptions & {
  readonly route: Route;
  readonly event: APIGatewayProxyEventV2;
  readonly table: Writer;
  readonly operation: RequestedOperation;
  readonly now: Date;
  /** Time at which Lambda ends the function. */
  readonly endsAt: Date;
  /** Encrypts stored responses that show a secret. */
  readonly sealing: (() => Promise<Sealing>) | undefined;
  /** Throws if a stored response must not be replayed because it is about a person who was erased. */
  readonly mayReplay: () => Promise<void>;
  /** The id of the member under whom the operation of the request is stored. Rejects if the caller has no access. */
  readonly memberId: () => Promise<number | undefined>;
};

/** Replays the stored response of a request. If there is none, calls `decide`. */
type Repeatable = (decide: (attempt: Attempt) => Promise<Reply>) => Promise<Reply>;

/**
 * Makes a request with an `Idempotency-Key` safe to repeat (`docs/api.md`, section 1, "Retries"). Undefined without a key.
 * Looks up an earlier attempt in parallel with the guard, but replays its response only after the guard has passed.
 *
 * If a route only writes the table, its writes and its response are stored in one transaction, so no claim is needed. If it
 * acts at Stripe or in several transactions, it claims the request first, with a lease until Lambda ends the function. The
 * next attempt takes over from a crashed one, and finds its effects by the operation id. A response that cannot be stored is
 * not returned: the record may change before a retry, whose response would differ.
 *
 * @throws Problem `idempotency_key_reused`, `request_in_progress`, `person_erased`
 */
export function idempotent(request: IdempotentRequest): Repeatable | undefined {
  const { route, event, table, operation, now, endsAt, mayReplay, sealing, writesLast, writesInSteps } = request;
  const { operationId, fingerprint } = operation;
  if (fingerprint === null) return undefined;
  const isClaimed = route.billing !== undefined || writesInSteps === true;
  const isOneWrite = !isClaimed || writesLast === true;
  const lookingUp = ignoreRejection(records.find(table, operationId));

  return async (decide) => {
    const earlier = await lookingUp;
    if (earlier && earlier.fingerprint !== fingerprint) throw new Problem("idempotency_key_reused");
    if (earlier?.response) {
      await mayReplay();
      measure("replays");
      const { body, ...rest } = earlier.response;
      return replayedReply(route, { ...rest, body: sealing ? (await sealing()).open(body, operationId) : body }, event);
    }
    if (earlier?.leased_until !== undefined && earlier.leased_until > now.getTime()) throw records.inProgress();

    const begunAt = earlier ? new Date(earlier.begun_at) : now;
    const claim = { operationId, attemptId: newUuid(table.runtime.random), fingerprint, begunAt };
    const taken = records.inProgress();
    const storeResponse = async (reply: Reply, { pending = [], conditions }: Writer = table) => {
      const { body, ...rest } = storedResponse(reply);
      const response = { ...rest, body: sealing ? (await sealing()).seal(body, operationId) : body };
      const writer = pending.length > 0 && conditions ? { ...table, conditions } : table;
      await write(writer, [records.completion(claim, response, now), ...pending]);
    };
    const release = (hasNoEffect: boolean) =>
      records.release(table, claim, hasNoEffect).catch((error: Error) => {
        // A conflict means that the response is stored.
        if (!(error instanceof Conflict)) logError(error);
      });

    try {
      if (isClaimed) await records.claim(table, claim, { now, leasedUntil: endsAt, otherwise: taken });
      return await decide({
        begunAt,
        isContinuation: earlier !== undefined,
        hasOperation: () => hasOperation(request),
        table: () => (isOneWrite ? { ...table, pending: [] } : table),
        storeResponse: (decided, reply) => storeResponse(reply, decided),
      });
    } catch (cause) {
      if (!isClaimed && isRefusal(cause) && (await records.find(table, operationId))?.response)
        throw records.inProgress();
      const error = cause === taken ? taken : await answerableRetry(cause, request);
      const problem = error instanceof Problem ? error : undefined;
      if (!problem?.afterEffect) {
        if (isClaimed && error !== taken) await release(problem !== undefined && problem.status < 500);
        throw error;
      }
      await storeResponse(replyWithProblem(problem, event)).catch(async (failure: Error) => {
        await release(false);
        throw failure;
      });
      throw error;
    }
  };
}

/** A refusal may be the effect of the same request, which has completed in the meantime. */
const isRefusal = (error: unknown): boolean => error instanceof Problem && error.status < 500;

/**
 * The error to return for a retry. A 4xx problem states that nothing has changed, so it becomes `outcome_unknown` if an
 * operation of the request may have had an effect.
 */
async function answerableRetry(failure: unknown, { table, operation, memberId }: IdempotentRequest): Promise<unknown> {
  if (!(failure instanceof Problem) || failure.status >= 500 || failure.afterEffect) return failure;
  const member = await memberId().catch(() => undefined);
  if (member === undefined) return failure;
  return (await mayHaveActed(table, member, operation).catch(() => true)) ? outcomeUnknown(failure) : failure;
}

async function hasOperation({ table, operation, memberId }: IdempotentRequest): Promise<boolean> {
  const member = await memberId();
  return member !== undefined && (await mayHaveActed(table, member, operation));
}
