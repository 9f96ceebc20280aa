import { AsyncLocalStorage } from "node:async_hooks";
import type { Context } from "aws-lambda";
import type { Runtime } from "#lib/runtime.ts";
import { Chance } from "../chance.ts";
import type { Timeline } from "../timeline.ts";
import { actFor, type Cause, causeOf } from "./causes.ts";
import type { FaultName, Faults, Target } from "./faults.ts";
import { type Holds, type ItemName, longestHold } from "./holds.ts";

/** Thrown when the function crashes. Its caller never gets a response. */
export class Crashed extends Error {
  override readonly name = "Crashed";
}

type Call<T> = {
  readonly target: Target;
  /** Whether the call is a read, which cannot conflict with a transaction. */
  readonly isRead?: boolean;
  /** Performs the call immediately. */
  readonly effect: () => T | Promise<T>;
  /** Creates the error for a fault of this call. */
  readonly failure: (fault: FaultName) => Error;
  /** Aborts the call. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout of the caller, in milliseconds. */
  readonly timeout?: number;
  /** The items that the call reads or writes, as far as they are known before. */
  readonly items?: readonly ItemName[];
};

export type InvocationOptions = {
  readonly id: string;
  readonly timeline: Timeline;
  readonly faults: Faults;
  readonly holds: Holds;
  readonly seed: string;
  /** Difference of the function's clock from the virtual clock, in milliseconds. */
  readonly skew: number;
  /** Whether all calls of the function are slow. */
  readonly isSluggish: boolean;
  /** Timeout of the function, in milliseconds. */
  readonly lifetime: number;
  /** Whether ids that are created within 100 milliseconds often collide. */
  readonly idsCollide?: boolean;
};

const current = new AsyncLocalStorage<Invocation>();

/** The invocation in which the calling code runs. */
export const currentInvocation = (): Invocation | undefined => current.getStore();

/**
 * One run of a function, with its own clock, randomness and calls. The timeline decides when each call takes effect.
 */
export class Invocation {
  readonly id: string;
  readonly runtime: Runtime;
  readonly context: Context;
  readonly chance: Chance;
  /** Items that the invocation has read, whether they existed or not, and objects of Stripe. */
  readonly read = new Set<ItemName>();
  /** Subscriptions that its calls have ended at Stripe. */
  readonly ended = new Set<string>();
  /** Whether it has called Stripe to change something. */
  hasWrittenAtStripe = false;
  readonly cause: Cause;
  readonly startedAt: number;
  /** Resolves when the function has ended or crashed. */
  readonly over: Promise<void>;
  readonly #options: InvocationOptions;
  readonly #holding: Chance;
  /** Idempotency keys, by the keys that the SDK has drawn. */
  readonly #keys = new Map<string, string>();
  #isDead = false;
  #isOver = false;
  #die: (crash: Crashed) => void = () => {};
  #end: () => void = () => {};
  #keyCount = 0;

  constructor(options: InvocationOptions) {
    const { id, timeline, seed, skew, lifetime, idsCollide = false } = options;
    this.#options = options;
    this.id = id;
    this.cause = causeOf(id);
    this.startedAt = timeline.now;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.chance = new Chance(seed);
    this.#holding = new Chance(`${seed} holds`);
    const endsAt = timeline.now + lifetime;
    const random = new Chance(`${seed} random`);
    this.runtime = {
      now: () => new Date(idsCollide ? Math.floor((timeline.now + skew) / 100) * 100 : timeline.now + skew),
      // An id has 12 random bits. UUIDs also use the following bits.
      random: () => (idsCollide ? Math.floor(random.next() * 4) / 4 + random.next() / 4096 : random.next()),
      wait: (milliseconds) => timeline.wait(milliseconds),
      deadline: (milliseconds) => {
        const controller = new AbortController();
        timeline.after(milliseconds, () => this.#isOver || controller.abort());
        return controller.signal;
      },
      epoch: 0,
    };
    this.context = {
      awsRequestId: id,
      getRemainingTimeInMillis: () => Math.max(0, endsAt - timeline.now),
    } as Context;
  }

  /** Whether calls of the history are held. */
  get mayBeHeld(): boolean {
    return this.#options.holds.probability > 0;
  }

  /** Runs the function. @throws Crashed if the function crashes or exceeds its timeout */
  run<T>(work: (invocation: Invocation) => Promise<T>): Promise<T> {
    const { timeline, lifetime } = this.#options;
    return new Promise<T>((resolve, reject) => {
      this.#die = reject;
      timeline.after(lifetime, () => this.#isOver || this.#crash());
      current.run(this, () => void work(this).then(resolve, reject));
    }).finally(() => {
      this.#isOver = true;
      this.#end();
    });
  }

  /** Draws an idempotency key for a call without one, instead of the SDK. */
  nextKey(): string {
    return `${this.id}-${++this.#keyCount}`;
  }

  /** Replaces an idempotency key that the SDK has drawn at random. A repeated call gets the same key. */
  keyFor(drawn: string): string {
    const key = this.#keys.get(drawn) ?? this.nextKey();
    this.#keys.set(drawn, key);
    return key;
  }

  /**
   * Performs a call to another system. The timeline decides when the call takes effect and when its response arrives.
   */
  async call<T>(call: Call<T>): Promise<T> {
    const { faults, holds } = this.#options;
    if (call.target === "stripe" && !call.isRead) this.hasWrittenAtStripe = true;
    // Reads outnumber writes, and most of them are not based on what was read before.
    const probability = call.isRead ? holds.probability / 10 : holds.probability;
    const writes = call.isRead ? [] : call.items;
    const during = holds.meetings.startedAt(this.cause, call);
    if (during !== undefined) await holds.wait(this.id, this.read, { writes, during });
    const hasRead = faults.isOn && this.read.size > 0;
    if (hasRead && this.#holding.is(probability)) {
      const longer = this.#holding.is(0.2) ? longestHold * this.#holding.next() : 1;
      await holds.wait(this.id, this.read, { writes, longer });
    }
    // What the second act touches is written soon afterwards.
    return this.#call(call, this.#options.isSluggish && during === undefined);
  }

  #call<T>(
    { target, isRead, effect, failure, signal, timeout = Number.POSITIVE_INFINITY }: Call<T>,
    isSluggish: boolean,
  ): Promise<T> {
    const { timeline, faults } = this.#options;
    const { chance, cause } = this;
    const fault = faults.ofCall(target, chance, isRead);
    const before = target === "table" ? 1 + chance.next() * 8 : 10 + chance.next() * 150;
    const sluggish = isSluggish ? 1000 + chance.next() * 5000 : 0;
    const slow = fault?.endsWith("_slow") ? 500 + chance.next() * (target === "table" ? 7000 : 9000) : sluggish;
    const after = chance.next() * (target === "table" ? 4 : 60);

    return new Promise((resolve, reject) => {
      const giveUp = (error: Error) => timeline.after(0, () => this.#isDead || reject(error));
      if (signal?.aborted) return giveUp(abortError());
      const stop = () => giveUp(abortError());
      signal?.addEventListener("abort", stop);
      if (before + slow > timeout) timeline.after(timeout, () => giveUp(failure("stripe_timeout_with_effect")));
      const answer = (outcome: Promise<T>) =>
        timeline.after(after, () => {
          const stopListening = () => signal?.removeEventListener("abort", stop);
          outcome.then(stopListening, stopListening);
          if (!this.#isDead) outcome.then(resolve, reject);
        });

      timeline.after(before + slow, () => {
        if (this.#isDead) return;
        if (fault === "crash_before_call") return this.#crash();
        if (fault === undefined || fault.endsWith("_slow") || fault === "table_partial_batch") return answer(done());
        if (fault === "crash_after_call") {
          void done();
          return this.#crash();
        }
        if (fault === "table_sent_twice") {
          void done();
          return timeline.after(20 + chance.next() * 300, () => this.#isDead || answer(done()));
        }
        if (fault.endsWith("with_effect")) void done();
        if (fault.endsWith("with_late_effect")) timeline.after(chance.next() * 8000, () => void done());
        // A timeout is reported after all retries of the SDK.
        const until = fault.includes("timeout") ? 500 + chance.next() * 5500 : 0;
        timeline.after(Math.min(until, timeout), () => giveUp(failure(fault)));
      });

      function done(): Promise<T> {
        const outcome = actFor(cause, async () => effect());
        outcome.catch(() => {});
        return outcome;
      }
    });
  }

  #crash(): void {
    this.#isDead = true;
    this.#die(new Crashed("The function has ended"));
  }
}

function abortError(): Error {
  return Object.assign(new Error("Request aborted"), { name: "AbortError" });
}
