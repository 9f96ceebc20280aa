import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import { measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { backOff, Conflict } from "../store/failure.ts";
import { assertMatches, etagOf } from "./etag.ts";
import type { Running } from "./idempotency.ts";
import type { Event, Parts } from "./known.ts";
import { type Reply, reply, representation } from "./reply.ts";
import { queryOf } from "./request.ts";
import { validate } from "./validation.ts";

/** How often a request decides anew before it gives way to the others. */
const decisions = 15;

/**
 * Runs the handler, and again with its guard where another writer was faster: every write carries the version that it
 * was decided with.
 */
export async function decide(parts: Parts, event: Event, running?: Running): Promise<Reply> {
  for (let tried = 1; ; tried++) {
    try {
      return await answer(parts, event, running);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
      if (tried === decisions) throw new Problem("unavailable", { headers: { "retry-after": "1" }, cause: error });
      measure("conflicts");
      await backOff(tried);
      event.known.grant = quiet(parts.guard(event.known));
    }
  }
}

/** Whether it starts beside its guard. A read has no effect, and nothing of it is sent before the guard agrees. */
export const isEarly = ({ route, startsEarly }: Parts): boolean => startsEarly === true || route.table !== "write";

/** One try of the handler, after its guard or beside it; what the guard refuses comes first either way. */
async function answer(parts: Parts, event: Event, running: Running | undefined): Promise<Reply> {
  const { route, csv } = parts;
  const known = running ? { ...event.known, table: running.open(), begunAt: running.begunAt } : event.known;
  const grant = quiet(granted(route, event));
  if (!isEarly(parts)) await grant;
  const result = quiet(perform(parts, { ...event, known }, grant));
  await grant;
  const decided = reply(route, await result, event, csv);
  if (known.table) await running?.keep(known.table, decided);
  return decided;
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
async function perform({ route: { query, body }, run }: Parts, event: Event, grant: Promise<Grant>): Promise<unknown> {
  const { known } = event;
  const { caller, params, table, billing, operation, begunAt, now } = known;
  return run({
    params,
    query: query && validate("query", query, queryOf(namesOf(query), event)),
    body: body && (body === "raw" ? known.body : validate("body", body, known.body)),
    caller,
    table,
    billing,
    operation: billing && { ...operation, begunAt },
    now,
    requestId: operation.requestId,
    parent: quiet(grant.then(({ parent }) => parent)),
    record: quiet(grant.then(({ record }) => record)),
    event,
  });
}

const namesOf = (query: NonNullable<Route["query"]>): string[] =>
  "entries" in query ? Object.keys(query.entries as object) : [];

/** A promise whose failure is looked at later, or not at all when another one comes first. */
export function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
