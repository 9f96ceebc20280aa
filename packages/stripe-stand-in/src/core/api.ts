import type { Account } from "./account.ts";
import { authenticate } from "./authenticate.ts";
import { catchUp } from "./clock.ts";
import type { Wait } from "./delivery-queue.ts";
import { apiVersion } from "./events.ts";
import { expanded } from "./expand.ts";
import { ApiFailure, invalid, isKept } from "./failure.ts";
import { type Failing, nextFailure, refuseIfAsked } from "./faults.ts";
import type { StripeRequest, StripeResponse } from "./http.ts";
import { keyInUse, remember, replayOf, type Use, useOf } from "./idempotency.ts";
import { decode } from "./parameters.ts";
import { authorize } from "./permissions.ts";
import { createEndpointLimits } from "./rate-limits.ts";
import { match, type Operation } from "./routes.ts";

/** A request under /v1, as `GET /_fake/requests` lists it. */
export type LoggedRequest = {
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string | null;
  readonly status: number;
};

type ApiOptions = { readonly account: Account; readonly wait: Wait; readonly log: LoggedRequest[] };

/** A request with what identifies it. Only requests that create or change something have an idempotency key. */
type Call = {
  readonly request: StripeRequest;
  readonly url: URL;
  readonly key: string | null;
  readonly requestId: string;
};

/** The API under /v1: authentication, idempotency, routing, and injected failures. */
export function createApi({ account, wait, log }: ApiOptions): (request: StripeRequest) => Promise<StripeResponse> {
  const keysInUse = new Set<string>();
  const countCall = createEndpointLimits(account);

  return async (request) => {
    const requestId = account.newId("req");
    const url = new URL(request.path, "http://stripe");
    const key = request.method === "POST" ? (request.headers["idempotency-key"] ?? null) : null;
    const { status, headers, body } = await answer({ request, url, key, requestId });
    log.push({ method: request.method, path: url.pathname, idempotency_key: key, status });
    return {
      status,
      headers: {
        "content-type": "application/json",
        "request-id": requestId,
        "stripe-version": apiVersion,
        ...(key !== null && { "idempotency-key": key }),
        ...headers,
      },
      body,
    };
  };

  async function answer(call: Call): Promise<StripeResponse> {
    const failing = nextFailure(account.faults, call.request.method);
    if (failing && !failing.after && !failing.stored) return failureResponse(failing);
    const response = await respond(call, failing).catch(refusal);
    return failing ? failureResponse(failing) : response;
  }

  /** Runs the operation, or returns the stored response of its idempotency key. */
  async function respond(call: Call, failing: Failing | undefined): Promise<StripeResponse> {
    const { request, url, key } = call;
    const apiKey = authenticate(account, request);
    const found = match(request.method, url.pathname);
    if (found) countCall(`${found.route.method} ${found.route.path}`);
    const form = [...url.searchParams, ...new URLSearchParams(request.body)];
    const use = key === null ? undefined : useOf(key, url.pathname, form);
    if (use && keysInUse.has(use.key)) throw keyInUse(use.key);
    catchUp(account);
    const replay = use && replayOf(account, use);
    if (replay) return { status: replay.status, headers: { "idempotent-replayed": "true" }, body: replay.body };

    const { expand: expanding, ...parameters } = decode(form);
    const expand = pathsOf(expanding);
    authorize(account, apiKey, { method: request.method, path: url.pathname, expand });
    if (!found) throw unrecognized(request.method, url.pathname);
    const operation = found.route.prepare(parameters, found.id);
    if (use) keysInUse.add(use.key);
    try {
      if (account.faults.latency_ms > 0) await wait(account.faults.latency_ms);
      return perform(account, { ...call, operation, expand, use, failing });
    } finally {
      if (use) keysInUse.delete(use.key);
    }
  }
}

type Work = Call & {
  readonly operation: Operation;
  readonly expand: readonly string[];
  readonly use: Use | undefined;
  readonly failing: Failing | undefined;
};

/** Runs an operation and stores its response under the idempotency key, in one transaction. A refusal is stored too. */
function perform(
  account: Account,
  { operation, expand, use, failing, requestId, key, request, url }: Work,
): StripeResponse {
  const cause = { requestId, idempotencyKey: key };
  const instead = failing?.stored ? failureResponse(failing) : undefined;
  const keep = (response: StripeResponse) => use && remember(account, use, instead ?? response);
  if (instead && !failing?.after) {
    account.transact(() => keep(instead));
    return instead;
  }
  try {
    return account.transact(
      () => {
        if (request.method !== "GET") refuseIfAsked(account.faults, url.pathname);
        const response = jsonResponse(200, expanded(account, operation(account), expand));
        keep(response);
        return response;
      },
      { cause, isKept },
    );
  } catch (failure) {
    const response = refusal(failure);
    if (response.status !== 429) account.transact(() => keep(response));
    return response;
  }
}

const jsonResponse = (status: number, body: object): StripeResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});

function refusal(failure: unknown): StripeResponse {
  if (!(failure instanceof ApiFailure)) throw failure;
  return { ...jsonResponse(failure.status, failure.body), headers: failure.headers };
}

/** The response of an injected failure. */
function failureResponse({ status, nonsense }: Failing): StripeResponse {
  if (nonsense)
    return { status: status ?? 200, headers: { "content-type": "text/html" }, body: "<html>Bad gateway</html>" };
  const message = `The local Stripe was told to fail with ${status ?? 500}.`;
  if (status === 429) return refusal(invalid(message, { code: "rate_limit" }, 429));
  return refusal(new ApiFailure(status ?? 500, "api_error", message));
}

function pathsOf(expand: unknown): string[] {
  if (expand === undefined) return [];
  if (Array.isArray(expand) && expand.every((path) => typeof path === "string")) return expand;
  throw invalid("Invalid array", { param: "expand" });
}

const unrecognized = (method: string, path: string) =>
  invalid(
    `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/. The local Stripe models a part of the API only.`,
    {},
    404,
  );
