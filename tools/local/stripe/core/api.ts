import { setTimeout as sleep } from "node:timers/promises";
import { type HttpAnswer, type HttpRequest, headerOf } from "../../loopback.ts";
import type { Account } from "./account.ts";
import { authenticate } from "./authenticate.ts";
import { catchUp } from "./clock.ts";
import { apiVersion } from "./events.ts";
import { expanded } from "./expand.ts";
import { ApiFailure, invalid, isKept } from "./failure.ts";
import { type Failing, nextFailure } from "./faults.ts";
import { keyInUse, remember, replayOf, type Use, useOf } from "./idempotency.ts";
import { newId } from "./objects/common.ts";
import { decode } from "./parameters.ts";
import { match, type Operation } from "./routes.ts";

/** What was asked under /v1, in order. */
export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly idempotency_key: string | null;
  readonly status: number;
};

type Answer = { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> };
type Api = (request: HttpRequest) => Promise<HttpAnswer>;

/** The API under /v1: who asks, what was asked before with this key, what to do, and how to fail. */
export function createApi(account: Account, log: Asked[]): Api {
  const keysInUse = new Set<string>();

  return async (request) => {
    const requestId = newId("req");
    const url = new URL(request.target, "http://stripe");
    // A key means something for what is created or changed only.
    const key = request.method === "POST" ? (headerOf(request, "idempotency-key") ?? null) : null;
    const answer = await answered(request, { url, key, requestId });
    log.push({ method: request.method, path: url.pathname, idempotency_key: key, status: answer.status });
    const headers = {
      "content-type": "application/json",
      "request-id": requestId,
      "stripe-version": apiVersion,
      ...(key !== null && { "idempotency-key": key }),
      ...answer.headers,
    };
    return { status: answer.status, headers: Object.entries(headers), body: answer.body };
  };

  async function answered(request: HttpRequest, call: Call): Promise<Answer> {
    const failing = nextFailure(account.faults);
    if (failing && !failing.after && !failing.stored) return broken(failing);
    const answer = await once(request, call, failing).catch(refusal);
    return failing ? broken(failing) : answer;
  }

  /** Does what is asked, unless the key says that this was done before. */
  async function once(request: HttpRequest, call: Call, failing: Failing | undefined): Promise<Answer> {
    authenticate(request);
    const { url, key } = call;
    const form = [...url.searchParams, ...new URLSearchParams(request.body?.toString() ?? "")];
    const use = key === null ? undefined : useOf(key, url.pathname, form);
    if (use && keysInUse.has(use.key)) throw keyInUse(use.key);
    catchUp(account);
    const replay = use && replayOf(account, use);
    if (replay) return { status: replay.status, body: replay.body, headers: { "idempotent-replayed": "true" } };

    const found = match(request.method, url.pathname);
    if (!found) throw unrecognized(request.method, url.pathname);
    const { expand, ...parameters } = decode(form);
    const operation = found.route.prepare(parameters, found.id);
    if (use) keysInUse.add(use.key);
    try {
      if (account.faults.latency_ms > 0) await sleep(account.faults.latency_ms);
      return perform(account, { ...call, operation, expand: pathsOf(expand), use, failing });
    } finally {
      if (use) keysInUse.delete(use.key);
    }
  }
}

type Call = { readonly url: URL; readonly key: string | null; readonly requestId: string };

type Work = Call & {
  readonly operation: Operation;
  readonly expand: readonly string[];
  readonly use: Use | undefined;
  readonly failing: Failing | undefined;
};

/** Does it, and keeps the answer for its key: both or neither. A refusal is an answer too. */
function perform(account: Account, { operation, expand, use, failing, requestId, key }: Work): Answer {
  const cause = { requestId, idempotencyKey: key };
  const instead = failing?.stored ? broken(failing) : undefined;
  const keep = (answer: Answer) => use && remember(account, use, (instead ?? answer).status, (instead ?? answer).body);
  if (instead && !failing?.after) {
    account.transact(() => keep(instead));
    return instead;
  }
  try {
    return account.transact(
      () => {
        const answer = { status: 200, body: JSON.stringify(expanded(account, operation(account), expand)) };
        keep(answer);
        return answer;
      },
      { cause, isKept },
    );
  } catch (failure) {
    const answer = refusal(failure);
    account.transact(() => keep(answer));
    return answer;
  }
}

function refusal(failure: unknown): Answer {
  if (!(failure instanceof ApiFailure)) throw failure;
  return { status: failure.status, body: JSON.stringify(failure.body) };
}

/** An answer that is not the API's own. */
function broken({ status, nonsense }: Failing): Answer {
  if (nonsense)
    return { status: status ?? 200, body: "<html>Bad gateway</html>", headers: { "content-type": "text/html" } };
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
    `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs or we can help at https://support.stripe.com/. The local Stripe has what this project uses.`,
    {},
    404,
  );
