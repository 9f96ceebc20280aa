import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { isAllowed } from "../auth/policy.ts";
import { bearerToken, refused } from "../auth/verify.ts";
import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import { logError, logged, tell } from "../log.ts";
import { aws, type Platform } from "../platform.ts";
import { Problem } from "../problem.ts";
import type { Writer } from "../store/table.ts";
import { decide, isEarly, quiet } from "./decide.ts";
import type { Endpoint, GuardOf, Handler, OptionsOf, Run } from "./handler.ts";
import type { Event, Parts } from "./known.ts";
import { assertKey, operationOf } from "./operation.ts";
import { type Reply, replyWithProblem } from "./reply.ts";
import { bodyOf, isPersonal, paramsOf, textOf } from "./request.ts";

type Step = middy.Request<Event, Reply>;

/**
 * Turns a route, its guard and what it does into a Lambda handler. The order of checks is that of `api.md`, section 1:
 * token, form of the ids, parent, right, body, an answer given before, record, If-Match, validation, and only then the
 * handler.
 */
export function endpoint<const R extends Route, G extends Grant>(
  route: R,
  guard: GuardOf<R, G>,
  run: Run<R, G>,
  ...[options]: OptionsOf<R>
): Endpoint {
  const untyped = { route, guard, run, ...options } as unknown as Parts;
  return Object.assign(serve(untyped, aws), { route, on: (platform: Platform) => serve(untyped, platform) });
}

function serve(parts: Parts, platform: Platform): Handler {
  const { route, guard } = parts;
  const answer = middy<Event, Reply>({ timeoutEarlyInMillis: 0 })
    .onError(answerProblem)
    .before(async ({ event, context }) => {
      const now = platform.now();
      const left = timeLeft(context);
      const table = route.table && platform.table(AbortSignal.timeout(left()));
      const billing = route.billing && (platform.billing ?? parts.billing)?.(left);
      const caller = await callerOf(route, event, platform, table);
      if (caller) tell({ caller_id: caller.id });
      event.known = {
        caller,
        params: paramsOf(route, event),
        table,
        billing,
        operation: operationOf(route, event, caller),
        begunAt: now,
        now,
        endsAt: new Date(now.getTime() + context.getRemainingTimeInMillis()),
        once: undefined,
        grant: Promise.resolve({}),
        body: undefined,
      };
      if (caller && !isAllowed(caller, route.access)) throw new Problem("forbidden");
    })
    .before(async ({ event, event: { known } }) => {
      known.grant = quiet(guard(known));
      known.once = onceOf(parts, event);
      const counted = quiet(countedOf(parts, event));
      if (!isEarly(parts)) await known.grant;
      await counted;
    })
    .before(async ({ event, event: { known } }) => {
      if (route.body) known.body = route.body === "raw" ? textOf(event) : await bodyOf(event);
      if (known.once) assertKey(event);
    })
    .handler(async (event) => {
      const { once } = event.known;
      return once ? once((running) => decide(parts, event, running)) : decide(parts, event);
    }) as unknown as Handler;

  return (event, context) =>
    logged({ request_id: event.requestContext.requestId, route: event.routeKey }, () => answer(event, context));
}

/** A request that carries an `Idempotency-Key`. */
function onceOf({ route, once, writesLast, writesInSteps }: Parts, event: Event) {
  const { table, now, endsAt, operation } = event.known;
  const { operationId, fingerprint } = operation;
  if (!once || !table || fingerprint === null) return undefined;
  return once({ route, event, table, operationId, fingerprint, now, leasedUntil: endsAt, writesLast, writesInSteps });
}

/** Counts the request beside its guard, so that whoever is refused is told so first. */
async function countedOf({ limit }: Parts, { known: { table, caller, now } }: Event): Promise<void> {
  if (limit && table && caller) await limit(table, caller, now);
}

async function callerOf(route: Route, event: Event, platform: Platform, opened: Writer | undefined) {
  const { access } = route;
  if (access === "public") return undefined;
  const token = bearerToken(event.headers.authorization);
  if (token !== undefined) return platform.identify(token, opened);
  if (access === "optional" && !isPersonal(route, event)) return undefined;
  throw refused("missing_token");
}

/** How many milliseconds a request has: it ends two seconds before its function would be killed, so as to answer. */
function timeLeft(context: Context): () => number {
  return () => Math.max(0, context.getRemainingTimeInMillis() - 2000);
}

function answerProblem(step: Step): void {
  const { error, event } = step;
  const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
  tell({ problem: problem.code });
  if (problem.status >= 500) logError(problem);
  step.response = replyWithProblem(problem, event);
}
