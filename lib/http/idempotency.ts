import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { Route } from "../contract/route.ts";
import { logError, measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { claim, find, inProgress, keep, type Run, release } from "../store/idempotency.ts";
import type { Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { kept, type Reply, replyAgain, replyWithProblem } from "./reply.ts";

/** One run of a request, as it is decided, perhaps more than once. */
export type Running = {
  /** When the request was made first. */
  readonly begunAt: Date;
  /** The table for one decision. */
  readonly open: () => Writer;
  /** Stores the answer, and with it the writes that waited for it. */
  readonly keep: (decided: Writer, reply: Reply) => Promise<void>;
};

/** Answers as before, or decides. */
export type Once = (decide: (running: Running) => Promise<Reply>) => Promise<Reply>;

type Repeatable = {
  readonly route: Route;
  readonly event: APIGatewayProxyEventV2;
  readonly table: Writer;
  readonly operationId: string;
  readonly fingerprint: string;
  readonly now: Date;
  /** When its function would be ended. */
  readonly leasedUntil: Date;
  /** It acts at Stripe before it writes, and the table is written in one go. */
  readonly writesLast?: true | undefined;
  /** Its effect is several transactions. */
  readonly writesInSteps?: true | undefined;
};

/**
 * Makes a request with an `Idempotency-Key` safe to repeat (`api.md`, section 1, "retries"). Whether it was made before
 * is looked up at once, beside the guard; the answer is given only after it.
 *
 * Where a route only writes the table, its writes wait for the answer and are one transaction with it: both are there
 * or neither is, so that nothing need be noted before. Where it acts at Stripe, or in several transactions, the run is
 * noted first, with a lease that ends when its function would; a run that crashed is then taken over, and what it began
 * is found by its operation.
 *
 * @throws Problem `idempotency_key_reused`, `request_in_progress`
 */
export function once(request: Repeatable): Once {
  const { route, event, table, operationId, fingerprint, now, leasedUntil, writesLast, writesInSteps } = request;
  const isNotedFirst = route.billing === true || writesInSteps === true;
  const isOneWrite = !isNotedFirst || writesLast === true;
  const lookingUp = find(table, operationId);
  lookingUp.catch(() => {});

  return async (decide) => {
    const earlier = await lookingUp;
    if (earlier && earlier.fingerprint !== fingerprint) throw new Problem("idempotency_key_reused");
    if (earlier?.answer) {
      measure("replays");
      return replyAgain(route, earlier.answer, event);
    }
    if (earlier?.leased_until !== undefined && earlier.leased_until > now.getTime()) throw inProgress();

    const begunAt = earlier ? new Date(earlier.begun_at) : now;
    const run: Run = { operationId, runId: randomUUID(), fingerprint, begunAt };
    const taken = inProgress();
    const keepReply = async (reply: Reply, { pending = [] }: Writer = table) =>
      write(table, [keep(run, kept(reply), now), ...pending]);
    const letGo = (leavesNothing: boolean) => release(table, run, leavesNothing).catch(logError);
    // What was done at Stripe is done, and was answered: a repetition that finds no answer finds the operation.
    const doWithout = (error: Error) => {
      logError(error);
      return letGo(false);
    };

    try {
      if (isNotedFirst) await claim(table, run, { now, leasedUntil, otherwise: taken });
      return await decide({
        begunAt,
        open: () => (isOneWrite ? { ...table, pending: [] } : table),
        keep: (decided, reply) => (isOneWrite ? keepReply(reply, decided) : keepReply(reply).catch(doWithout)),
      });
    } catch (error) {
      const problem = error instanceof Problem ? error : undefined;
      if (problem?.afterEffect) await keepReply(replyWithProblem(problem, event)).catch(doWithout);
      else if (isNotedFirst && error !== taken) await letGo(problem !== undefined && problem.status < 500);
      throw error;
    }
  };
}
