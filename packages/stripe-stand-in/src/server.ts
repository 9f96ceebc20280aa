import { setTimeout } from "node:timers/promises";
import type { Deliver, Wait } from "./core/delivery-queue.ts";
import { createStripe, type StripeStandIn } from "./core/stripe.ts";
import type { Webhook } from "./core/webhook-endpoints.ts";
import { serve } from "./http-server.ts";
import { openJournal } from "./journal.ts";

export type ServerOptions = {
  /** Default: 0, which selects a free port. */
  readonly port?: number;
  /** Folder for the state. Without it, the state is lost when the stand-in stops. */
  readonly stateDir?: string;
  /** An endpoint on this machine to send all events to. */
  readonly webhook?: Webhook;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** The id of the account. Default: `acct_fake`. */
  readonly accountId?: string;
};

export type LocalStripe = Pick<StripeStandIn, "act" | "answer" | "sendEventsTo" | "settled"> & {
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** Time limit for the response of an endpoint. */
const deliveryTimeoutMs = 30_000;

/**
 * Serves the stand-in on 127.0.0.1, with the clock, the randomness, the timers and the network of this machine.
 *
 * @throws Error inside AWS Lambda, or with the code EADDRINUSE if the port is taken
 */
export async function startStripe(options: ServerOptions = {}): Promise<LocalStripe> {
  if (process.env.AWS_LAMBDA_FUNCTION_NAME) throw new Error("The Stripe stand-in does not run inside AWS Lambda");
  const { port = 0, stateDir, webhook, now = Date.now, accountId } = options;
  // Listens first, so that a second server on the same port does not change the state of the first.
  const server = await serve(port, (request) => stripe.answer(request));
  const { url } = server;
  const journal = stateDir === undefined ? undefined : openJournal(stateDir);
  const stripe = createStripe({
    state: journal?.state,
    accountId,
    onCommit: journal?.append,
    now,
    random: Math.random,
    wait,
    deliver,
    baseUrl: url,
  });
  if (webhook) stripe.sendEventsTo(webhook);

  return {
    url,
    act: stripe.act,
    answer: stripe.answer,
    sendEventsTo: stripe.sendEventsTo,
    settled: stripe.settled,
    async close() {
      await stripe.stop();
      await server.close();
      journal?.close();
    },
  };
}

/** A timer does not keep the process alive. */
const wait: Wait = async (milliseconds, signal) => {
  await setTimeout(milliseconds, undefined, { ref: false, ...(signal && { signal }) }).catch(() => {});
};

const deliver: Deliver = async ({ url, headers, body }, signal) => {
  const response = await fetch(url, {
    method: "POST",
    headers,
    body,
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(deliveryTimeoutMs)]),
  });
  await response.body?.cancel();
  return response.status;
};
