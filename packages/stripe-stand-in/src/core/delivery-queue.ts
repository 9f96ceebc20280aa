import type { Account, AccountOptions } from "./account.ts";
import { recordArrival, recordOutcome, requeue, waitingDeliveries } from "./delivery-record.ts";
import { isTriggered } from "./faults.ts";
import type { Change, Delivery } from "./state.ts";
import { type WebhookRequest, webhookRequest } from "./webhook-request.ts";

/** Resolves after a time, or when the signal is aborted. A wait of 0 lets the current call get its response first. */
export type Wait = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

/** Sends an event to its endpoint. Resolves with the status of the response, and rejects if there is none. */
export type Deliver = (request: WebhookRequest, signal: AbortSignal) => Promise<number>;

export type DeliveryOptions = Pick<AccountOptions, "now" | "random"> & {
  readonly wait: Wait;
  readonly deliver: Deliver;
};

const retryDelaysMs = [200, 400, 800];
const longestShuffleMs = 50;

/**
 * Sends events to their endpoints after the response to the call that caused them. Events are sent in order, one at a
 * time, and retried if an endpoint does not respond with success. Faults change this behavior (`faults.ts`).
 */
export class DeliveryQueue {
  readonly #account: Account;
  readonly #options: DeliveryOptions;
  /** Deliveries that are being sent, by id. */
  readonly #sending = new Set<string>();
  readonly #jobs = new Set<Promise<void>>();
  /** The last job that sends in order. */
  #lastJob: Promise<void> = Promise.resolve();
  readonly #stop = new AbortController();
  /** Aborted to end all waits. */
  #hurry = new AbortController();

  constructor(account: Account, options: DeliveryOptions) {
    this.#account = account;
    this.#options = options;
    account.onCommit((changes) => this.#sendAffected(changes));
  }

  /** Resolves when no delivery is in progress. */
  async settled(): Promise<void> {
    while (this.#jobs.size > 0) await Promise.all(this.#jobs);
  }

  /** Sends all undelivered events at once. Sends dropped events only on request. */
  async deliverNow(options: { readonly dropped: boolean }): Promise<void> {
    this.#hurry.abort();
    requeue(this.#account, options);
    await this.settled();
    this.#hurry = new AbortController();
  }

  /** Stops sending. Undelivered events stay in the queue. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#hurry.abort();
    await this.settled();
  }

  /** Sends new deliveries, and those that waited for an endpoint that has just been added. */
  #sendAffected(changes: readonly Change[]): void {
    if (!changes.some(({ kind }) => kind === "delivery" || kind === "webhook_endpoint")) return;
    const ids = new Set(changes.map(({ id }) => id));
    const affected = waitingDeliveries(this.#account).filter(
      ({ id, endpoint }) => !this.#sending.has(id) && (ids.has(id) || ids.has(endpoint)),
    );
    if (affected.length > 0 && !this.#stop.signal.aborted) this.#send(affected);
  }

  #send(deliveries: readonly Delivery[]): void {
    const { faults } = this.#account;
    const kept = deliveries.filter((delivery) => !this.#isDropped(delivery));
    for (const { id } of kept) this.#sending.add(id);
    const copies = faults.duplicate ? kept.flatMap((delivery) => [delivery, delivery]) : kept;
    const delayed = this.#pause(faults.delay_ms);
    if (faults.shuffle) {
      for (const delivery of copies) this.#track(this.#sendShuffled(delivery, delayed));
      return;
    }
    this.#lastJob = this.#sendInOrder(copies, Promise.all([this.#lastJob, delayed]));
    this.#track(this.#lastJob);
  }

  async #sendInOrder(deliveries: readonly Delivery[], ready: Promise<unknown>): Promise<void> {
    await Promise.all([ready, this.#options.wait(0)]);
    for (const delivery of deliveries) if (!(await this.#attempt(delivery))) this.#track(this.#retry(delivery));
  }

  async #sendShuffled(delivery: Delivery, ready: Promise<unknown>): Promise<void> {
    await Promise.all([ready, this.#options.wait(0)]);
    await this.#pause(1 + this.#options.random() * longestShuffleMs);
    if (!(await this.#attempt(delivery))) await this.#retry(delivery);
  }

  async #retry(delivery: Delivery): Promise<void> {
    for (const delay of retryDelaysMs) {
      await this.#pause(delay);
      if (await this.#attempt(delivery)) return;
    }
    this.#finish(delivery);
    recordOutcome(this.#account, delivery, "given_up");
  }

  /** @returns whether the delivery is done: the event has arrived, its endpoint was removed, or the queue is stopped */
  async #attempt(delivery: Delivery): Promise<boolean> {
    const event = this.#account.get("event", delivery.event);
    const endpoint = this.#account.get("webhook_endpoint", delivery.endpoint);
    const { signal } = this.#stop;
    if (!event || !endpoint || signal.aborted) return true;
    const { deliver, now } = this.#options;
    try {
      const status = await deliver(webhookRequest(event, endpoint, Math.floor(now() / 1000)), signal);
      const isSuccess = status >= 200 && status < 300;
      if (isSuccess) {
        this.#finish(delivery);
        recordArrival(this.#account, delivery);
      }
      return isSuccess;
    } catch {
      return signal.aborted;
    }
  }

  #isDropped(delivery: Delivery): boolean {
    if (!isTriggered(this.#account.faults, "drop")) return false;
    recordOutcome(this.#account, delivery, "dropped");
    return true;
  }

  #finish({ id }: Delivery): void {
    this.#sending.delete(id);
  }

  #track(job: Promise<void>): void {
    this.#jobs.add(job);
    void job.finally(() => this.#jobs.delete(job));
  }

  async #pause(milliseconds: number): Promise<void> {
    const { signal } = this.#hurry;
    if (milliseconds > 0 && !signal.aborted) await this.#options.wait(milliseconds, signal);
  }
}
