import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { type AnyCaller, isKeyCaller } from "../auth/caller.ts";
import { assertMayUse } from "../auth/policy.ts";
import type { Route } from "../contract/route.ts";
import type { Grant } from "../guards/guard.ts";
import { addLogFields } from "../log.ts";
import { Problem } from "../problem.ts";
import type { Actor } from "../store/activity.ts";
import type { Writer } from "../store/table.ts";
import * as users from "../store/users.ts";
import { assertRecentSignIn, authenticate } from "./authentication.ts";
import { type Authorized, authorization } from "./authorization.ts";
import type { RequestContext } from "./body.ts";
import { answerableError, type Effects, watchEffects } from "./effects.ts";
import { assertMatches, etagOf, isSameEdit } from "./etag.ts";
import type { EarlierAttempt, EndpointParts, HandlerInput, Mount, ReadInput } from "./handler.ts";
import type { Attempt } from "./idempotency.ts";
import { ignoreRejection } from "./ignore-rejection.ts";
import { assertKey, operationOf } from "./operation.ts";
import { type Reply, replyTo, representation } from "./reply.ts";
import { paramsOf, queryOf, recordInPath } from "./request.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";
import { typed } from "./typed.ts";
import { validate } from "./validation.ts";

/**
 * Handles a request. The order of the checks is part of the API (`docs/api.md`, section 1): token, format of the ids,
 * parent, access, rate limit, body, stored response, record, If-Match, validation, and finally the handler.
 *
 * @throws Problem for all expected failures. Any other error is a defect
 */
export async function handle<R extends Route, G extends Grant, D>(
  { route, guard, read, handler, options }: EndpointParts<R, G, D>,
  mount: Mount,
  event: APIGatewayProxyEventV2,
  context: RequestContext,
): Promise<Reply> {
  const startedAt = mount.now();
  const endsAt = new Date(startedAt.getTime() + context.getRemainingTimeInMillis());
  const timeLeft = timeLeftOf(context);
  const table = route.table && mount.table(mount.deadline(timeLeft()));
  const effects: Effects = { mayHaveHappened: false };
  const atStripe = route.billing && mount.billing?.(timeLeft);
  const billing = atStripe && watchEffects(atStripe, effects);

  const caller = await authenticate(route, event, mount, table);
  if (caller) assertRecentSignIn(route, caller, startedAt);
  const params = paramsOf(route, event);
  addLogFields({ ...loggedCaller(caller), params });
  assertMayUse(route, caller);

  // These promises read the table in parallel. Their results are checked in the order that the API documents.
  const request = { route, event, caller, params, table, epoch: mount.epoch, addressOf: mount.addressOf };
  const { grant: authorized, openedFor } = authorization({ guard, options, effects }, request);
  const authorize = () => ignoreRejection(authorized());
  const firstGrant = authorize();
  const counted = ignoreRejection(countRequest());
  const operation =
    route.billing || route.method === "POST" ? operationOf(route, event, caller, mount.random) : undefined;
  const mayReplay = async () => assertNotErased(await firstGrant);
  const memberId = async () => (await firstGrant).memberId;
  const repeatable =
    table &&
    operation &&
    mount.idempotent?.({
      route,
      event,
      table,
      operation,
      now: startedAt,
      endsAt,
      sealing: route.seals ? mount.sealing : undefined,
      mayReplay,
      memberId,
      ...options,
    });

  if (!read) await firstGrant;
  await counted;
  const body = context.body();
  if (repeatable) assertKey(event);
  const respond = (attempt?: Attempt) =>
    retryOnConflict(mount, { route, timeLeft }, (isFirst) => decide(isFirst ? firstGrant : authorize(), attempt)).catch(
      (error: unknown) => {
        throw answerableError(error, effects);
      },
    );
  return repeatable ? repeatable(respond) : respond();

  async function countRequest(): Promise<void> {
    if (!route.limited || !table || !caller) return;
    await mount.limit?.(table, caller, { route, event, now: startedAt }).catch(async (error: unknown) => {
      // Access is checked before the rate limit, also where `read` runs beside the guard.
      await firstGrant;
      throw error;
    });
  }

  /** Whether an earlier attempt has begun the effect of the request, which this one completes. */
  async function isResumed({ record }: Grant, attempt: Attempt | undefined): Promise<boolean> {
    if (!table || !attempt?.isContinuation) return false;
    if (!options.hasBegun) return attempt.hasOperation();
    return options.hasBegun(typed<EarlierAttempt<G>>({ record, table, begunAt: attempt.begunAt }));
  }

  /** Checks the grant and the input, and runs the handler. */
  async function decide(granting: Promise<Authorized<G>>, attempt?: Attempt): Promise<Reply> {
    const validating = ignoreRejection(validated(route, event, body));
    const reading =
      read && besideGuard(validating, (valid) => read(typed<ReadInput<R>>({ ...valid, caller, params, table })));

    const grant = await granting;
    assertFound(grant, route, params);
    try {
      assertPreconditions(route, event, grant);
    } catch (error) {
      if (!(await isResumed(grant, attempt))) throw error;
    }
    const valid = await validating;
    // The handler of a PATCH checks this itself, after it has validated the body against the record.
    if (route.method === "POST" || route.method === "DELETE") assertNotErased(grant);
    // The time is taken after the record was read, so that it is not earlier than the record's last write.
    const now = mount.now();
    const isConditional = event.headers["if-match"] !== undefined;
    const actor = route.table === "write" ? await actorOf(table, caller, event, now) : undefined;
    const writer = openedFor(grant, attempt?.table() ?? table);
    const answer = await handler(
      typed<HandlerInput<R, G, D>>({
        ...valid,
        caller,
        params,
        table: writer,
        parent: grant.parent,
        record: grant.record,
        role: grant.role,
        read: await reading,
        billing,
        addressOf: mount.addressOf,
        enqueue: mount.enqueue,
        actor,
        operation: { ...operation, ...requesterOf(actor), begunAt: attempt?.begunAt ?? startedAt, isConditional },
        now,
        event,
      }),
    );
    const reply = replyTo(route, answer, event, mount.csv);
    if (writer) await attempt?.storeResponse(writer, reply);
    return reply;
  }
}

/**
 * Reads in parallel with the guard, which saves a round trip. The data are not returned if the guard refuses the
 * request.
 */
const besideGuard = <I, D>(validating: Promise<I>, read: (valid: I) => Promise<D>): Promise<D> =>
  ignoreRejection(validating.then(read));

/** @throws Problem `not_found` if the record in the path does not exist */
function assertFound({ record, recordName }: Grant, route: Route, params: Readonly<Record<string, unknown>>): void {
  if (record !== null) return;
  throw new Problem("not_found", { detail: `There is no ${recordName ?? recordInPath(route, params)}` });
}

/** @throws Problem `person_erased` if the record belongs to a person who was erased */
function assertNotErased({ isErased }: Grant): void {
  if (isErased) throw new Problem("person_erased");
}

/**
 * Evaluates If-Match on all routes that write the record in the path, and If-None-Match on PATCH and DELETE.
 *
 * @throws Problem `stale_record`
 */
function assertPreconditions(
  { method, etag, output, record = etag && output }: Route,
  { headers }: APIGatewayProxyEventV2,
  { shown, shownToPublic = shown }: Grant,
): void {
  if (!record || shown === undefined || method === "GET") return;
  const current = [shown, shownToPublic].map((form) => etagOf(representation(record, form)));
  assertMatches(headers["if-match"], ...current);
  if (method !== "POST" && current.some((tag) => isSameEdit(headers["if-none-match"], tag)))
    throw new Problem("stale_record", { detail: "The record matches If-None-Match" });
}

type Valid = { readonly query: unknown; readonly body: unknown };

/**
 * Parses the query and the body with their schemas. Async, so that the guard's errors come before validation errors.
 *
 * @throws Problem `validation_failed`
 */
async function validated(route: Route, event: APIGatewayProxyEventV2, input: unknown): Promise<Valid> {
  const { query, body, output } = route;
  const parameters = queryOf(route, event);
  return {
    query: query && validate("query", query, parameters),
    body: body && body !== "raw" ? validate("body", body, input, output) : input,
  };
}

/** The actor of a write. Creates the profile of a person if their sign-in did not (`docs/api.md`, section 2). */
async function actorOf(
  table: Writer | undefined,
  caller: AnyCaller | undefined,
  { requestContext: { requestId } }: APIGatewayProxyEventV2,
  now: Date,
): Promise<Actor | undefined> {
  if (!table || !caller) return undefined;
  if (isKeyCaller(caller)) return { id: null, apiKeyId: caller.apiKeyId, requestId, now };
  return { id: await users.ensure(table, caller, now), requestId, now };
}

const requesterOf = (actor: Actor | undefined) => ({ actorId: actor?.id ?? null, apiKeyId: actor?.apiKeyId });

const loggedCaller = (caller: AnyCaller | undefined) =>
  caller && isKeyCaller(caller) ? { api_key_id: caller.apiKeyId } : { caller_id: caller?.id };

/** Milliseconds until the request's deadline, which leaves the function two seconds to respond. */
function timeLeftOf(context: Context): () => number {
  return () => Math.max(0, context.getRemainingTimeInMillis() - 2000);
}
