/**
 * A Stripe for this machine: what this project uses of the API, with state, time, events and faults, and no money.
 *
 * It speaks the version that the pinned `stripe` client speaks. What it has not modelled it refuses, in so many words,
 * or does not have at all (404, `parameter_unknown`), rather than guess. Not modelled: proration and changes of
 * interval; tax, coupons and credit; several items in one subscription; invoices other than a subscription's, their
 * pages and drafts (a renewal is finalized at once, not after an hour); Smart Retries (three retries, after 3, 5 and 7
 * days); invoices of a subscription that is unpaid; the balance and its transactions; Radar; SCA; payment methods other
 * than cards; currencies other than usd; `delinquent`, pausing, schedules, Connect and test clocks.
 *
 * Its ids say `fake`, its objects `livemode: false`; it listens on 127.0.0.1, sends events to this machine, takes test
 * keys, and does not start inside AWS Lambda.
 *
 * @packageDocumentation
 */
import { assertLocal, type HttpAnswer, type HttpRequest, serve } from "../loopback.ts";
import { type Account, createAccount } from "./core/account.ts";
import { type Asked, createApi } from "./core/api.ts";
import { catchUp, forget } from "./core/clock.ts";
import { control } from "./core/controls.ts";
import { startDeliveries } from "./core/delivery.ts";
import { noFaults } from "./core/faults.ts";
import { hostedPage } from "./core/hosted-page.ts";
import { emptyState } from "./core/state.ts";
import { sendTo } from "./core/webhook-endpoints.ts";
import { openJournal, readState } from "./journal.ts";

type Options = {
  /** A free one where it is left out. */
  readonly port?: number;
  /** Keeps everything, through a kill as well; without one it is gone at the end. */
  readonly stateDir?: string;
  /** Where events go, on this machine. */
  readonly webhook?: { readonly url: string; readonly secret: string };
  /** Milliseconds, as `Date.now`; a test may let it stand still. */
  readonly now?: () => number;
};

export type LocalStripe = {
  readonly url: string;
  /**
   * Runs many operations at once, without HTTP: those that the routes call, on the same account. All of it stays, or
   * nothing where it throws.
   *
   * @param at seconds since 1970, for what is to have happened then; what falls due after it happens by itself
   */
  readonly act: <T>(work: (account: Account) => T, options?: { readonly at?: number }) => T;
  /** Resolves when no event is on its way any more. */
  readonly settled: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** @throws Error inside AWS Lambda, and where the port is taken */
export async function startStripe({ port = 0, stateDir, webhook, now = Date.now }: Options = {}): Promise<LocalStripe> {
  assertLocal();
  const log: Asked[] = [];
  let url = "";
  const state = stateDir === undefined ? emptyState() : readState(stateDir);
  const account = createAccount({ state, faults: noFaults(), pages: () => url, wallClock: now });
  forget(account);
  const journal = stateDir === undefined ? undefined : openJournal(stateDir, state);
  if (journal) account.onCommit(journal.append);
  const deliveries = startDeliveries(account, now);
  const api = createApi(account, log);

  const serving = await serve({ port, maxBodyBytes: 1024 * 1024 }, answer);
  url = serving.url;
  if (webhook) account.transact(() => sendTo(account, webhook));

  async function answer(request: HttpRequest): Promise<HttpAnswer> {
    const { pathname } = new URL(request.target, "http://stripe");
    if (!pathname.startsWith("/_fake/")) return api(request);
    const path = pathname.slice("/_fake/".length);
    const found = hostedPage(account, request, path) ?? (await control({ account, deliveries, log }, request, path));
    return found ?? { status: 404, headers: [], body: "" };
  }

  return {
    url,
    act: (work, { at } = {}) => {
      const run = () => {
        catchUp(account);
        return account.transact(() => work(account));
      };
      return at === undefined ? run() : account.at(at, run);
    },
    settled: deliveries.settled,
    async close() {
      await deliveries.stop();
      await serving.close();
      journal?.close();
    },
  };
}
