import Stripe from "stripe";
import type { StripeResponse, StripeStandIn } from "stripe-stand-in";
import { actFor } from "./causes.ts";
import type { FaultName } from "./faults.ts";
import { currentInvocation } from "./invocation.ts";
import { objectName, type Touches } from "./touches.ts";

const { HttpClient, HttpClientResponse } = Stripe;
type Headers = Record<string, string>;

/** The stand-in of the current history. */
let standIn: StripeStandIn | undefined;
let touches: Touches | undefined;

export function useStandIn(of: StripeStandIn, recording?: Touches): void {
  standIn = of;
  touches = recording;
}

/** A response in the form that Stripe's client expects. @param read returns the parsed body */
export function responseOf(status: number, headers: Headers, read: () => unknown) {
  class Response extends HttpClientResponse {
    override getRawResponse() {
      return {};
    }
    override toStream(): never {
      throw new Error("Nothing is streamed");
    }
    override async toJSON() {
      return read();
    }
  }
  return new Response(status, headers);
}

const response = ({ status, headers, body }: StripeResponse) =>
  responseOf(status, headers, () => JSON.parse(body) as unknown);

const failed = (status: number, code?: string): StripeResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: { type: "api_error", message: "Injected", ...(code && { code }) } }),
});

/** Returns the response to a call with a fault, or throws its error. */
class Injected extends Error {
  readonly answer: StripeResponse | undefined;

  constructor(fault: FaultName) {
    super(`Injected: ${fault}`);
    if (fault === "stripe_rate_limit") this.answer = failed(429, "rate_limit");
    if (fault.startsWith("stripe_error")) this.answer = failed(500);
  }
}

type Read = { readonly object: string; readonly id?: string; readonly data?: readonly Read[] };

/** The names of the objects in a response. */
function namesIn({ object, id, data = [] }: Read): string[] {
  return id === undefined ? data.flatMap(namesIn) : [objectName(object, id)];
}

/** Sends a request to the stand-in. What is due at Stripe by then is not done by the caller. */
export function ask(stripe: StripeStandIn, request: Parameters<StripeStandIn["answer"]>[0]) {
  actFor({ name: "due at Stripe", run: "due at Stripe" }, () => stripe.catchUp());
  return stripe.answer(request);
}

/** Replaces Stripe's network. Calls in an invocation take virtual time, and calls outside of invocations do not. */
class CoreHttpClient extends HttpClient {
  override getClientName(): string {
    return "simulation";
  }

  override async makeRequest(
    _host: string,
    _port: string | number,
    path: string,
    method: string,
    headers: object,
    requestData: string | null,
    _protocol: string,
    timeout: number,
  ) {
    const stripe = standIn;
    if (!stripe) throw new Error("There is no Stripe");
    const invocation = currentInvocation();
    const given = Object.fromEntries(
      Object.entries(headers as Headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    // The SDK draws a random key for each POST without one.
    if (given["idempotency-key"]?.startsWith("stripe-node-retry-"))
      given["idempotency-key"] = invocation?.keyFor(given["idempotency-key"]) ?? "";
    if (given["idempotency-key"] === "") delete given["idempotency-key"];
    const effect = async () => {
      const answer = await ask(stripe, { method, path, headers: given, body: requestData ?? "" });
      const [, subscription] = /^\/v1\/subscriptions\/(\w+)(?:\?|$)/.exec(path) ?? [];
      if ((touches || invocation?.mayBeHeld) && method === "GET" && answer.status === 200)
        for (const name of namesIn(JSON.parse(answer.body) as Read)) {
          invocation?.read.add(name);
          touches?.note(name, { isWrite: false });
        }
      if (method === "DELETE" && answer.status === 200 && subscription) invocation?.ended.add(subscription);
      return answer;
    };
    if (!invocation) return response(await effect());
    try {
      return response(
        await invocation.call({
          target: "stripe",
          isRead: method === "GET",
          effect,
          failure: (fault) => new Injected(fault),
          timeout,
        }),
      );
    } catch (error) {
      if (error instanceof Injected && error.answer) return response(error.answer);
      throw error instanceof Injected ? HttpClient.makeTimeoutError() : error;
    }
  }
}

/** Stripe's own client, connected to the stand-in of the current history. */
export const stripeClient = new Stripe("sk_test_simulation", {
  httpClient: new CoreHttpClient(),
  maxNetworkRetries: 0,
  telemetry: false,
});
