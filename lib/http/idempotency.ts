import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import type { Sealing } from "../delivery/sealing.ts";
import { newUuid } from "../ids.ts";
import { logError, measure } from "../log.ts";
import { outcomeUnknown, Problem } from "../problem.ts";
import * as records from "../store/idempotency.ts";
import { mayHaveActed } from "../store/operation-state.ts";
import type { Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import type { EffectOptions } from "./effects.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import type { RequestedOperation } from "./operation.ts";
import { type Reply, replayedReply, replyWithProblem, storedResponse } from "./reply.ts";

/** One attempt at a request that is decided now, perhaps more than once. */
export type Attempt = {
  /** When the request was made first. */
  readonly begunAt: Date;
  /** Whether an earlier attempt may have begun the operation. */
  readonly isContinuation: boolean;
  /** The table for one decision. */
  readonly table: () => Writer;
  /** Stores the response, and with it the writes that waited for it. */
  readonly storeResponse: (table: Writer, reply: Reply) => Promise<void>;
};

type IdempotentRequest = EffectOptions & {
  readonly route: Route;
  readonly event: APIGatewayProxyEventV2;
  readonly table: Writer;
  readonly operation: RequestedOperation;
  readonly now: Date;
  /** When its function would be ended. */
  readonly endsAt: Date;
  /** Encrypts stored responses that show a secret. */
  readonly sealing: (() => Promise<Sealing>) | undefined;
  /** Throws if a stored response must not be replayed because it is about a person who was erased. */
  readonly mayReplay: () => Promise<void>;
  /** The member whose operations may include that of the request. Rejects if the caller has no access. */
  readonly memberId: () => Promise<number | undefined>;
};

/** Answers as before, or decides. */
type Repeatable = (decide: (attempt: Attempt) => Promise<Reply>) => Promise<Reply>;

/**
 * Makes a request with an `Idempotency-Key` safe to repeat (`docs/api.md`, section 1, "Retries"), or undefined without.
 * Whether it was made before is looked up at once, beside the guard; the answer is given only after it.
 *
 * Where a route only writes the table, its writes wait for the response and are one transaction with it: both are there
 * or neither is, so that nothing need be claimed before. Where it acts at Stripe, or in several transactions, the request
 * is claimed first, under a lease that ends when its function would; an attempt that crashed is then taken over, and
 * what it began is found by its operation. A response that cannot be stored is not given: the record may change before
 * a repetition, which would be answered differently.
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
    const storeResponse = async (reply: Reply, { pending = [], condition }: Writer = table) => {
      const { body, ...rest } = storedResponse(reply);
      const response = { ...rest, body: sealing ? (await sealing()).seal(body, operationId) : body };
      const writer = pending.length > 0 && condition ? { ...table, condition } : table;
      await write(writer, [records.completion(claim, response, now), ...pending]);
    };
    const release = (leavesNothing: boolean) => records.release(table, claim, leavesNothing).catch(logError);

    try {
      if (isClaimed) await records.claim(table, claim, { now, leasedUntil: endsAt, otherwise: taken });
      return await decide({
        begunAt,
        isContinuation: earlier !== undefined,
        table: () => (isOneWrite ? { ...table, pending: [] } : table),
        storeResponse: (decided, reply) => storeResponse(reply, decided),
      });
    } catch (cause) {
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

/**
 * The error to answer a retry with. A refusal says that nothing has changed, so it becomes `outcome_unknown` where an
 * operation that the request has begun may have had its effect.
 */
async function answerableRetry(failure: unknown, { table, operation, memberId }: IdempotentRequest): Promise<unknown> {
  if (!(failure instanceof Problem) || failure.status >= 500 || failure.afterEffect) return failure;
  const member = await memberId().catch(() => undefined);
  if (member === undefined) return failure;
  return (await mayHaveActed(table, member, operation).catch(() => true)) ? outcomeUnknown(failure) : failure;
}
