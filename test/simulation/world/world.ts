import { createStripe, type StripeStandIn } from "stripe-stand-in";
import * as configurations from "stripe-stand-in/core/portal-configurations";
import type { Caller } from "#lib/auth/caller.ts";
import { claimsOf } from "#lib/auth/verify.ts";
import { portalFeatures } from "#lib/billing/portal-configuration.ts";
import { billingOf } from "#lib/billing/stripe.ts";
import type { DomainEvent } from "#lib/contract/events.ts";
import type { Route } from "#lib/contract/route.ts";
import { openSealing } from "#lib/delivery/sealing.ts";
import { directoryCache } from "#lib/discovery/directory.ts";
import { csvOf } from "#lib/http/csv.ts";
import type { Endpoint, Mount } from "#lib/http/handler.ts";
import { idempotent } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { callerOf } from "#lib/platform.ts";
import { unauthorized } from "#lib/problem.ts";
import { unavailable } from "#lib/store/failure.ts";
import { connect, type WholeTable } from "#lib/store/table.ts";
import { exploring } from "../../../functions/discovery/explore.ts";
import { Chance } from "../chance.ts";
import type { Item } from "../table/attribute-value.ts";
import { createEngine, type Engine } from "../table/engine.ts";
import type { StreamRecord } from "../table/stream.ts";
import type { Table } from "../table/tables.ts";
import { Timeline } from "../timeline.ts";
import { Acknowledged } from "./acknowledged.ts";
import { Answers } from "./answers.ts";
import { BillingRecord } from "./billing-record.ts";
import { createBucket } from "./bucket.ts";
import { startOf } from "./calendar.ts";
import { Consumers } from "./consumers.ts";
import { type Erasing, erasingIn } from "./erasing.ts";
import { EventReaders } from "./event-readers.ts";
import { type FaultName, Faults } from "./faults.ts";
import { Holds } from "./holds.ts";
import { Invocation } from "./invocation.ts";
import { Journal } from "./journal.ts";
import { morePeople, people } from "./people.ts";
import { Queues } from "./queues.ts";
import { Receivers, useReceivers } from "./receivers.ts";
import { compactOnce, expireItems, nextErasure, nextExpiry, rebuildOnce, reconcileOnce } from "./schedules.ts";
import { stripeClient, useStandIn } from "./stripe-client.ts";
import { directClient, tableClient } from "./table-client.ts";
import { tableInput } from "./table-input.ts";
import { objectName, Touches } from "./touches.ts";
import { type Token, UserPool } from "./user-pool.ts";
import type { InvariantName } from "./violation.ts";
import { deliverTo, webhook } from "./webhooks.ts";

/** A Lambda execution environment: its clock skew, and the state that it keeps between requests. */
export type Environment = { readonly skew: number; readonly memory: Map<string, unknown>; explore: Endpoint };

export type Figures = {
  readonly faults: Map<FaultName, number>;
  readonly acts: Map<string, number>;
  /** Number of checks of each invariant, and of the subscriptions with prorations that were checked. */
  readonly checks: Map<string, number>;
  /** What {@link Touches} has counted. */
  readonly touches: Map<string, number>;
  /** Number of requests to each route by callers with permission. */
  readonly routes: Map<string, number>;
};

export const newFigures = (): Figures => ({
  faults: new Map(),
  acts: new Map(),
  checks: new Map(),
  touches: new Map(),
  routes: new Map(),
});

type InvokeOptions = {
  readonly lifetime: number;
  /** Seed of the invocation's randomness. Default: its id. */
  readonly seed?: string;
  readonly skew?: number;
  /** What the execution environment keeps between requests. Default: nothing. */
  readonly memory?: Map<string, unknown>;
  /** Whether all calls of the function are slow. */
  readonly isSluggish?: boolean;
};

export type WorldOptions = {
  /** The probability that a write waits until another invocation writes an item that the writer has read. */
  readonly holds?: number | undefined;
  /** Whether to record what each act and each trigger reads and writes. */
  readonly recordsTouches?: boolean | undefined;
  /** Whether the history lets pairs of acts meet. It has more people, and rate limits apply in half of these histories. */
  readonly isOfPairs?: boolean;
};

/** The complete state of one history. */
export class World {
  readonly seed: string;
  readonly startedAt: number;
  readonly timeline: Timeline;
  readonly chance: Chance;
  readonly faults: Faults;
  readonly holds: Holds;
  readonly touches: Touches | undefined;
  readonly figures: Figures;
  readonly engine: Engine;
  readonly stripe: StripeStandIn;
  readonly consumers: Consumers;
  readonly queues: Queues;
  readonly receivers: Receivers;
  readonly eventReaders = new EventReaders();
  readonly userPool: UserPool;
  /** Actors use it instead of an import, because triggers read the environment variables of a worker on import. */
  readonly schedules = { compactOnce, expireItems, nextErasure, nextExpiry, rebuildOnce, reconcileOnce };
  readonly journal: Journal;
  /** User ids of owners and of possible members. */
  readonly people: readonly number[];
  readonly environments: Environment[];
  /** Bucket of the directory's snapshots. */
  readonly bucket = createBucket();
  /** Records that consumers failed to handle. */
  readonly failedRecords = createBucket();
  readonly acknowledged = new Acknowledged();
  readonly answers: Answers;
  /** The routes that erase people. */
  readonly erasing: Erasing;
  /** Past versions of the subscriptions at Stripe. */
  readonly billing = new BillingRecord();
  /** What people at Stripe have said about the end of a subscription. */
  readonly saidAtStripe: {
    readonly subscription: string;
    readonly isEnding: boolean;
    /** Whether it is to end later than with its period. */
    readonly isLater?: boolean;
    readonly at: number;
  }[] = [];
  /** Subscriptions that were changed in Stripe's dashboard. */
  readonly changedElsewhere = new Set<string>();
  /** Objects at Stripe whose next event is delivered twice. */
  readonly repeatedEvents = new Set<string>();
  /** Users whose erasure was acknowledged. */
  readonly erased = new Set<number>();
  /** The ETag with which each record was shown last. */
  readonly tags = new Map<string, string>();
  /** Acts whose idempotency keys were reused after they had expired. */
  readonly mayRepeat = new Set<string>();
  /** The texts of all API keys that a response has shown, by id. */
  readonly apiKeys = new Map<number, string>();
  /** Steps at which the schedule has failed, by name. A step for a member has the member's id as its name. */
  readonly setBack = new Set<string>();
  /** Whether a community may have wrong statistics that no rebuild has corrected. */
  isMiscounted = false;
  readonly #chosen = new Map<string, Set<string | number>>();
  /** The operation of each request, by request id. Requests with the same key belong to the same operation. */
  readonly #operations = new Map<string, string>();
  /** The records of the stream, each with its time in milliseconds and the id of the invocation that made the change. */
  readonly changes: { readonly at: number; readonly by: string | undefined; readonly record: StreamRecord }[] = [];
  /** The events on the bus. */
  readonly bus: DomainEvent[] = [];
  /** The table as eventually consistent reads see it. */
  readonly #late: Engine;
  /** Number of changes that eventually consistent reads have seen. */
  #seen = 0;
  /** Whether clocks are so coarse, and random values so alike, that ids often collide. */
  readonly #idsCollide: boolean;
  /** Whether all rate limits apply, and not only that of deliveries. */
  readonly #hasAllLimits: boolean;
  /** Delay of eventually consistent reads, in milliseconds. */
  readonly #lateness: number;
  /** The table without faults and delays, for code outside of virtual time. */
  readonly table: WholeTable;
  /** Values of series for past periods when they were first read. They must not change. */
  readonly past = new Map<string, number>();
  /** Members whose movements an earlier version has not recorded. */
  readonly unrecorded = new Set<number>();
  /** Whether the migration has not yet filled in the past of members. */
  isPastUnknown = false;
  readonly #identify = identifyIn(this);
  #invocations = 0;
  #busy = 0;

  constructor(seed: string, figures: Figures, { holds = 0, recordsTouches, isOfPairs }: WorldOptions = {}) {
    this.seed = seed;
    this.startedAt = startOf(seed);
    this.timeline = new Timeline(this.startedAt);
    this.figures = figures;
    this.chance = new Chance(`${seed} world`);
    this.faults = new Faults(this.chance, figures.faults);
    // If calls fail or are held, some requests cannot be counted, and the limits cannot be checked.
    const canCount = this.faults.isWeak && holds === 0;
    this.#hasAllLimits = new Chance(`${seed} limits`).is(canCount ? 0.7 : isOfPairs ? 0.5 : 0.15);
    this.holds = new Holds(this.timeline, holds);
    this.touches = recordsTouches ? new Touches(() => this.timeline.now) : undefined;
    this.journal = new Journal(this.timeline);
    this.people = isOfPairs ? [...people, ...morePeople] : people;
    this.answers = new Answers(this.journal);
    this.engine = createEngine({ now: () => this.timeline.now });
    this.engine.tables.create(tableInput);
    this.#late = createEngine({ now: () => this.timeline.now });
    this.#late.tables.create(tableInput);
    this.#idsCollide = new Chance(`${seed} ids`).is(0.1);
    this.#lateness = new Chance(`${seed} lateness`).pick([0, 50, 800, 3000]) ?? 0;
    const random = new Chance(`${seed} outside`);
    const now = () => new Date(this.timeline.now);
    this.table = connect(directClient(this.engine), tableInput.TableName, {
      now,
      random: () => random.next(),
      wait: async () => {},
      deadline: () => new AbortController().signal,
      epoch: 0,
    })();
    this.environments = Array.from({ length: 3 }, () => this.#newEnvironment());
    this.queues = new Queues(this);
    this.receivers = new Receivers(this);
    useReceivers(this.receivers);
    this.userPool = new UserPool(this);
    this.erasing = erasingIn(this.userPool);
    this.consumers = new Consumers(this);
    const ofStripe = new Chance(`${seed} stripe`);
    this.stripe = createStripe({
      now: () => this.timeline.now,
      random: () => ofStripe.next(),
      wait: (milliseconds, signal) =>
        new Promise((resolve) => {
          this.timeline.after(milliseconds, resolve);
          signal?.addEventListener("abort", () => resolve());
        }),
      baseUrl: "http://stripe",
      deliver: deliverTo(this),
      onCommit: (changes) => {
        this.billing.note(changes);
        for (const name of changes.map(({ kind, id }) => objectName(kind, id))) {
          this.holds.written(name);
          this.touches?.note(name, { isWrite: true });
        }
      },
    });
    this.stripe.sendEventsTo(webhook);
    this.stripe.act((account) => configurations.create(account, { features: portalFeatures() }, "bpc_simulation"));
    useStandIn(this.stripe, this.touches);
  }

  /** The table with its internals: items, indexes and stream. */
  get storage(): Table {
    return this.engine.tables.find(tableInput.TableName);
  }

  /**
   * The table as eventually consistent reads and reads of indexes see it. Without faults, they see all changes. Changes
   * made by `replaceUnseen` are visible immediately.
   */
  get late(): Engine {
    if (!this.faults.isOn || this.#lateness === 0) return this.engine;
    this.#showChanges(this.timeline.now - this.#lateness);
    return this.#late;
  }

  /** Applies the changes up to a time to the table that eventually consistent reads see. */
  #showChanges(until: number): void {
    const { storage } = this.#late.tables.find(tableInput.TableName);
    for (let change = this.changes[this.#seen]; change && change.at <= until; change = this.changes[++this.#seen]) {
      const { Keys, NewImage } = change.record.dynamodb;
      storage.replace(storage.get(Keys), NewImage);
    }
  }

  /** Replaces an item without a record in the stream. */
  replaceUnseen(before: Item | undefined, after: Item | undefined): void {
    const key = after ?? before;
    if (!key) return;
    this.storage.storage.replace(before, after);
    // Earlier changes must be applied first, so that they do not overwrite this one.
    this.#showChanges(this.timeline.now);
    const { storage } = this.#late.tables.find(tableInput.TableName);
    storage.replace(storage.get({ pk: key.pk ?? { S: "" }, sk: key.sk ?? { S: "" } }), after);
  }

  get now(): Date {
    return new Date(this.timeline.now);
  }

  /** Whether the system is idle: no request is pending, and all stream records and queue messages are handled. */
  get isQuiet(): boolean {
    return this.#busy === 0 && this.consumers.areIdle && this.queues.areIdle;
  }

  /** Whether all rate limits apply. They do not apply to the requests of invariants. */
  get areLimitsOn(): boolean {
    return this.#hasAllLimits && this.faults.isOn;
  }

  /** Records a violated invariant. */
  violate(invariant: InvariantName, text: string): void {
    this.answers.violate(invariant, text);
  }

  /** Records the operation of a request. */
  noteOperation(requestId: string, operation: string): void {
    this.#operations.set(requestId, operation);
  }

  operationOf(requestId: string): string {
    return this.#operations.get(requestId) ?? requestId;
  }

  /** The ids of the records that the acts with a subject have picked. */
  chosenFor(subject: string): Set<string | number> {
    const chosen = this.#chosen.get(subject) ?? new Set();
    this.#chosen.set(subject, chosen);
    return chosen;
  }

  /** Whether acts with a subject have picked a record. */
  isChosen(id: string | number): boolean {
    return this.#chosen.values().some((chosen) => chosen.has(id));
  }

  /** Counts a response, unless the caller has no permission or the function failed. */
  noteResponse({ method, path }: Route, status: number): void {
    const isRefused = [401, 403, 404, 429].includes(status) && path !== "$default";
    if (isRefused || status >= 500) return;
    const { routes } = this.figures;
    const name = `${method} ${path}`;
    routes.set(name, (routes.get(name) ?? 0) + 1);
  }

  /** Counts work as pending until it ends. */
  async busy<T>(work: Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work;
    } finally {
      this.#busy--;
    }
  }

  /** What an endpoint needs to run without faults and delays, outside of virtual time. */
  get outside(): Mount {
    return {
      ...this.table.runtime,
      table: () => this.table,
      identify: this.#identify,
      idempotent,
      limit: this.#limit,
      csv: csvOf,
    };
  }

  /** Replaces an environment by a new one without cached state. */
  restart(place: number): void {
    this.environments[place] = this.#newEnvironment();
  }

  /** Runs a function once with its own clock and randomness. */
  invoke<T>(
    name: string,
    { lifetime, seed, skew = 0, memory, isSluggish = false }: InvokeOptions,
    work: (mount: Mount, invocation: Invocation) => Promise<T>,
  ): Promise<T> {
    const id = `${name}-${++this.#invocations}`;
    const { timeline, faults, holds } = this;
    const idsCollide = faults.isOn && this.#idsCollide;
    const calls = { timeline, faults, holds, lifetime, isSluggish };
    const options = { ...calls, id, seed: `${this.seed} ${seed ?? id}`, skew, idsCollide };
    return new Invocation(options).run((invocation) => work(this.#mountFor(invocation, memory), invocation));
  }

  #mountFor(invocation: Invocation, memory?: Map<string, unknown>): Mount {
    const client = tableClient(this, invocation);
    return {
      ...invocation.runtime,
      table: connect(client, tableInput.TableName, invocation.runtime, memory),
      identify: this.#identify,
      billing: billingOf(async () => stripeClient),
      idempotent,
      enqueue: this.queues.enqueue,
      addressOf: ({ sub }) =>
        this.userPool.verifiedEmail(sub).catch((error: unknown) => {
          throw unavailable(error);
        }),
      sealing: openSealing,
      limit: this.#limit,
      csv: csvOf,
    };
  }

  /** Applies the rate limits. That of deliveries always applies, and in some histories the others do too. */
  readonly #limit: typeof limit = async (table, caller, request) => {
    if (request.route.limited !== "deliveries" && !this.areLimitsOn) return undefined;
    process.env.THROTTLE = "on";
    // `limit` reads the environment variable before its first `await`.
    const limited = limit(table, caller, request);
    process.env.THROTTLE = "off";
    return limited;
  };

  #newEnvironment(): Environment {
    const isOff = this.chance.is(0.5);
    const skew = isOff ? this.chance.integer(-5000, 5000) : 0;
    if (isOff) this.faults.note("clock_differs");
    return { skew, memory: new Map(), explore: exploring(directoryCache(this.bucket)) };
  }
}

/**
 * Reads the claims of a token. Tokens of the simulated pool expire and have the claims that its trigger returned. Other
 * tokens are JSON.
 */
const identifyIn =
  (world: World): Mount["identify"] =>
  async (text, table) => {
    const token = JSON.parse(Buffer.from(text, "base64url").toString()) as Token;
    const session = world.userPool.sessionOf(token);
    if (!session) return token as unknown as Caller;
    if (Number(token.exp) * 1000 <= world.timeline.now) throw unauthorized("expired_token");
    const claims = claimsOf(token);
    if (claims.groups.includes("admin") && !session.usedApp)
      world.violate("second factor", `${claims.sub} is an admin in a session without a second factor`);
    return callerOf(claims, table);
  };
