import { type Account, createAccount } from "./account.ts";
import { nextDueAt } from "./agenda.ts";
import { createApi, type LoggedRequest } from "./api.ts";
import { catchUp, forget } from "./clock.ts";
import { control } from "./controls.ts";
import { type DeliveryOptions, DeliveryQueue } from "./delivery-queue.ts";
import { noFaults } from "./faults.ts";
import { hostedPage } from "./hosted-page.ts";
import type { StripeRequest, StripeResponse } from "./http.ts";
import { type Change, emptyState, type State } from "./state.ts";
import { sendTo, type Webhook } from "./webhook-endpoints.ts";

export type { Deliver, Wait } from "./delivery-queue.ts";
export type { Change, Kind, State } from "./state.ts";
export type { WebhookRequest } from "./webhook-request.ts";
export { type Account, emptyState, type LoggedRequest, type StripeRequest, type StripeResponse, type Webhook };

/** The clock, randomness, timers and network. All ids come from `random`: the same numbers give the same ids. */
export type StripeOptions = DeliveryOptions & {
  /** The state to start from. Changed in place. */
  readonly state?: State;
  /** The id of the account. Default: `acct_fake`. */
  readonly accountId?: string;
  /** The base URL of the hosted pages, without a trailing slash. */
  readonly baseUrl: string;
  /** Called with the changes of each transaction before they are visible. */
  readonly onCommit?: (changes: readonly Change[]) => void;
};

export type StripeStandIn = {
  /** Handles a request under /v1/ or /_fake/, or for a hosted page. */
  readonly answer: (request: StripeRequest) => Promise<StripeResponse>;
  /**
   * Runs operations on the account without HTTP, in one transaction.
   *
   * @param at the time of the operations, in seconds since 1970. What falls due after it happens with the next request.
   */
  readonly act: <T>(work: (account: Account) => T, options?: { readonly at?: number }) => T;
  /** Sends undelivered and future events to this endpoint. */
  readonly sendEventsTo: (webhook: Webhook) => void;
  /** When the next renewal, retry or other scheduled change falls due, in seconds of the account's clock. */
  readonly nextDueAt: () => number | undefined;
  /** Runs everything that has fallen due, in order, each at its own time. Every request does this first. */
  readonly catchUp: () => void;
  /** Removes events after 30 days, and stored responses after 24 hours, like a new stand-in. */
  readonly forget: () => void;
  /** Resolves when no event is being sent. */
  readonly settled: () => Promise<void>;
  /** Stops sending events. Undelivered events stay in the queue. */
  readonly stop: () => Promise<void>;
};

/**
 * Stripe as a function from a request and a state to a response. Clock, randomness, timers and network are inputs, so
 * that the same inputs always give the same outputs.
 */
export function createStripe(options: StripeOptions): StripeStandIn {
  const { state = emptyState(), accountId = "acct_fake", now, random, wait, deliver, baseUrl, onCommit } = options;
  const account = createAccount({ id: accountId, state, faults: noFaults(), baseUrl, now, random });
  if (onCommit) account.onCommit(onCommit);
  forget(account);
  const deliveries = new DeliveryQueue(account, { now, random, wait, deliver });
  const log: LoggedRequest[] = [];
  const api = createApi({ account, wait, log });

  return {
    async answer(request) {
      const { pathname } = new URL(request.path, "http://stripe");
      if (!pathname.startsWith("/_fake/")) return api(request);
      const path = pathname.slice("/_fake/".length);
      const page = hostedPage(account, request, path);
      return page ?? (await control({ account, deliveries, log }, request, path)) ?? notFound;
    },
    act(work, { at } = {}) {
      const run = () => {
        catchUp(account);
        return account.transact(() => work(account));
      };
      return at === undefined ? run() : account.at(at, run);
    },
    sendEventsTo: (webhook) => account.transact(() => sendTo(account, webhook)),
    nextDueAt: () => nextDueAt(account),
    catchUp: () => catchUp(account),
    forget: () => forget(account),
    settled: () => deliveries.settled(),
    stop: () => deliveries.stop(),
  };
}

const notFound: StripeResponse = { status: 404, headers: {}, body: "" };
