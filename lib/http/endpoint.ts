import middy from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type { Caller } from "../auth/caller.ts";
import { isAllowed } from "../auth/policy.ts";
import { bearerToken, refused } from "../auth/verify.ts";
import type { Billing, OpenBilling } from "../billing/stripe.ts";
import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import { logError } from "../log.ts";
import { aws, type Platform } from "../platform.ts";
import { Problem } from "../problem.ts";
import { backOff, Conflict } from "../store/failure.ts";
import type { Writer } from "../store/table.ts";
import { assertMatches, etagOf } from "./etag.ts";
import type { Endpoint, GuardOf, Handler, Run } from "./handler.ts";
import { operationOf } from "./operation.ts";
import { type Render, type Reply, reply, replyWithProblem, representation } from "./reply.ts";
import { bodyOf, paramsOf, queryOf, textOf } from "./request.ts";
import { validate } from "./validation.ts";

type Options = {
  /** Stripe, for a route that declares `billing`. Its functions bring it, so that no other carries its code. */
  readonly billing?: OpenBilling;
  /** The other form that the answer can be asked for in. */
  readonly csv?: Render;
  /**
   * A write that starts beside its guard, as reads do, to read what its body names in the same round trip. It writes
   * only once it has its `record`, and its guard refuses nobody: the token alone decides.
   */
  readonly startsEarly?: true;
};

/**
 * Turns a route, its guard and what it does into a Lambda handler. The order of checks is that of `api.md`, section 1:
 * token, form of the ids, parent, right, body, record, If-Match, validation, and only then the handler.
 */
export function endpoint<const R extends Route, G extends Grant>(
  route: R,
  guard: GuardOf<R, G>,
  run: Run<R, G>,
  options: Options = {},
): Endpoint {
  const untyped = { route, guard, run, ...options } as unknown as Parts;
  return Object.assign(serve(untyped, aws), { route, on: (platform: Platform) => serve(untyped, platform) });
}

/** An endpoint's parts without their types: the one seam where what is checked at run time meets what is declared. */
type Parts = {
  readonly route: Route;
  readonly guard: (ask: Pick<Known, "caller" | "params" | "table">) => Promise<Grant>;
  readonly run: (request: object) => Promise<unknown>;
} & Options;

/** What is known of a request so far. It travels on the event, as that is all that middy hands to the handler. */
type Known = {
  caller: Caller | undefined;
  params: Readonly<Record<string, string | number>>;
  table: Writer | undefined;
  billing: Billing | undefined;
  grant: Promise<Grant>;
  body: unknown;
};
type Event = APIGatewayProxyEventV2 & { known: Known };
type Step = middy.Request<Event, Reply>;

function serve(parts: Parts, platform: Platform): Handler {
  const { route, guard } = parts;
  return middy<Event, Reply>({ timeoutEarlyInMillis: 0 })
    .onError(answerProblem)
    .before(async ({ event, context }) => {
      const left = timeLeft(context);
      const table = route.table && platform.table(AbortSignal.timeout(left()));
      const billing = route.billing && (platform.billing ?? parts.billing)?.(left);
      const caller = await callerOf(route, event, platform, table);
      const params = paramsOf(route, event);
      event.known = { table, billing, caller, params, body: undefined, grant: Promise.resolve({}) };
      if (caller && !isAllowed(caller, route.access)) throw new Problem("forbidden");
    })
    .before(async ({ event: { known } }) => {
      known.grant = quiet(guard(known));
      if (!isEarly(parts)) await known.grant;
    })
    .before(async ({ event }) => {
      if (route.body) event.known.body = route.body === "raw" ? textOf(event) : await bodyOf(event);
    })
    .handler(async (event) => {
      // Another writer may be faster. Every write carries the version it was decided with, so decide again.
      for (let tried = 1; ; tried++) {
        try {
          return await answer(parts, event, platform);
        } catch (error) {
          if (!(error instanceof Conflict)) throw error;
          if (tried === decisions) throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause: error });
          await backOff(tried);
          event.known.grant = quiet(guard(event.known));
        }
      }
    }) as unknown as Handler;
}

/** How often a request decides anew before it gives way to the others. */
const decisions = 15;

/** Whether it starts beside its guard. A read has no effect, and nothing of it is sent before the guard agrees. */
const isEarly = ({ route, startsEarly }: Parts): boolean => startsEarly === true || route.table !== "write";

/** One try of the handler, after its guard or beside it; what the guard refuses comes first either way. */
async function answer(parts: Parts, event: Event, platform: Platform): Promise<Reply> {
  const { route, csv } = parts;
  const grant = quiet(granted(route, event));
  if (!isEarly(parts)) await grant;
  const result = quiet(perform(parts, event, platform, grant));
  await grant;
  return reply(route, await result, event, csv);
}

/**
 * What the guard grants, once the record is there and is the one that If-Match names.
 *
 * @throws Problem `not_found`, `stale_record`
 */
async function granted(route: Route, event: Event): Promise<Grant> {
  const grant = await event.known.grant;
  if (grant.record === null) throw new Problem("not_found");
  const { method, output, removes = output } = route;
  if (removes && grant.shown !== undefined && (method === "PATCH" || method === "DELETE"))
    assertMatches(event.headers["if-match"], etagOf(representation(removes, grant.shown)));
  return grant;
}

/** Async, so that a query or a body which is not valid waits for the guard too. */
async function perform(parts: Parts, event: Event, platform: Platform, grant: Promise<Grant>): Promise<unknown> {
  const { query, body } = parts.route;
  const { caller, params, table, billing } = event.known;
  return parts.run({
    params,
    query: query && validate("query", query, queryOf(namesOf(query), event)),
    body: body && (body === "raw" ? event.known.body : validate("body", body, event.known.body)),
    caller,
    table,
    billing,
    operation: billing && operationOf(event, caller?.id ?? 0),
    now: platform.now(),
    requestId: event.requestContext.requestId,
    parent: quiet(grant.then(({ parent }) => parent)),
    record: quiet(grant.then(({ record }) => record)),
    event,
  });
}

const namesOf = (query: NonNullable<Route["query"]>): string[] =>
  "entries" in query ? Object.keys(query.entries as object) : [];

async function callerOf({ access }: Route, event: Event, platform: Platform, opened: Writer | undefined) {
  if (access === "public") return undefined;
  const token = bearerToken(event.headers.authorization);
  if (token !== undefined) return platform.identify(token, opened);
  if (access === "optional") return undefined;
  throw refused("missing_token");
}

/** How many milliseconds a request has: it ends two seconds before its function would be killed, so as to answer. */
function timeLeft(context: Context): () => number {
  const end = performance.now() + Math.max(0, context.getRemainingTimeInMillis() - 2000);
  return () => Math.max(0, Math.floor(end - performance.now()));
}

/** A promise whose failure is looked at later, or not at all when another one comes first. */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

function answerProblem(step: Step): void {
  const { error, event } = step;
  const problem = error instanceof Problem ? error : new Problem("internal", { cause: error });
  if (problem.status >= 500) logError(problem, { request_id: event.requestContext.requestId, route: event.routeKey });
  step.response = replyWithProblem(problem, event);
}
