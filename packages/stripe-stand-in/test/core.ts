import { setImmediate } from "node:timers/promises";
import Stripe from "stripe";
import type { Wait } from "../src/core/delivery-queue.ts";
import type { StripeRequest, StripeResponse } from "../src/core/http.ts";
import { createStripe, type StripeStandIn } from "../src/core/stripe.ts";
import type { WebhookRequest } from "../src/core/webhook-request.ts";
import { fetchFrom } from "../src/fetch.ts";
import { start } from "./local.ts";

export const webhook = { url: "http://127.0.0.1/webhooks", secret: "whsec_test" };

/** Creates an in-process stand-in without sockets or real timers. The seed determines all randomness. */
export function createSeededStripe(seed: number) {
  const clock = virtualClock(start);
  /** Everything that the stand-in sends, in order. */
  const transcript: string[] = [];
  const delivered: WebhookRequest[] = [];
  /** Statuses of the next deliveries. 200 once the list is empty. */
  const deliveryStatuses: number[] = [];
  const standIn = createStripe({
    now: clock.now,
    random: seededRandom(seed),
    wait: clock.wait,
    baseUrl: "http://stripe",
    deliver: async (request) => {
      transcript.push(JSON.stringify(request));
      const status = deliveryStatuses.shift() ?? 200;
      if (status === 200) delivered.push(request);
      return status;
    },
  });

  async function answer(request: StripeRequest): Promise<StripeResponse> {
    const response = await standIn.answer(request);
    transcript.push(JSON.stringify(response));
    return response;
  }

  return {
    ...standIn,
    clock,
    transcript,
    delivered,
    deliveryStatuses,
    answer,
    /** Stripe's own client. Its network is replaced by a function. */
    client: new Stripe("sk_test_core", {
      httpClient: Stripe.createFetchHttpClient(fetchFrom(withNumberedKeys(answer))),
      maxNetworkRetries: 0,
      telemetry: false,
    }),
    control: async (path: string, body: object = {}): Promise<unknown> => {
      const response = answer({ method: "POST", path: `/_fake/${path}`, headers: {}, body: JSON.stringify(body) });
      return JSON.parse((await clock.until(response)).body);
    },
    settled: () => clock.until(standIn.settled()),
  };
}

/** Numbers the idempotency keys, because the client otherwise draws a random key for each POST without one. */
function withNumberedKeys(answer: StripeStandIn["answer"]): StripeStandIn["answer"] {
  let keys = 0;
  return ({ headers, ...request }) => {
    const isDrawn = headers["idempotency-key"]?.startsWith("stripe-node-retry-");
    return answer({
      ...request,
      headers: isDrawn ? { ...headers, "idempotency-key": `stripe-node-retry-${++keys}` } : headers,
    });
  };
}

/** A clock that advances only when all callers are waiting, to the end of the shortest wait. */
function virtualClock(startMs: number) {
  let now = startMs;
  const waits = new Set<{ readonly at: number; readonly end: () => void }>();
  const wait: Wait = (milliseconds, signal) =>
    new Promise((resolve) => {
      const entry = { at: now + milliseconds, end };
      function end() {
        waits.delete(entry);
        resolve();
      }
      waits.add(entry);
      signal?.addEventListener("abort", end);
      if (signal?.aborted) end();
    });
  return {
    now: () => now,
    set: (ms: number) => {
      now = ms;
    },
    wait,
    /** Advances the clock until `work` is done. */
    async until<T>(work: Promise<T>): Promise<T> {
      let isDone = false;
      const finish = () => {
        isDone = true;
      };
      work.then(finish, finish);
      for (;;) {
        await setImmediate();
        if (isDone) return work;
        const [next] = [...waits].toSorted((a, b) => a.at - b.at);
        if (!next) continue;
        now = Math.max(now, next.at);
        next.end();
      }
    },
  };
}

/** A pseudo-random number generator (Mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
