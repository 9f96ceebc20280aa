import type { Chance } from "../chance.ts";

/** Faults of a read from the table. */
const ofTableReads = ["table_throttled", "table_timeout_without_effect", "table_slow"] as const;

/** Faults of a write to the table. */
const ofTableWrites = [
  /** The call is refused without effect, after the SDK's retries. */
  "table_throttled",
  /** The item is locked by another transaction. */
  "table_conflict",
  /** There is no response. The call has no effect, has its effect, or has it later. */
  "table_timeout_without_effect",
  "table_timeout_with_effect",
  "table_timeout_with_late_effect",
  /** The SDK has sent the call several times, and the first one is still being processed. It has its effect. */
  "table_in_progress_with_effect",
  /** The first response is lost, and the SDK sends the call again. */
  "table_sent_twice",
  "table_slow",
] as const;

/** Some items of a batch are left unprocessed. */
const ofBatches = ["table_partial_batch"] as const;

const ofStripe = [
  "stripe_rate_limit",
  "stripe_error_without_effect",
  "stripe_error_with_effect",
  "stripe_timeout_without_effect",
  "stripe_timeout_with_effect",
  "stripe_slow",
] as const;

const ofQueues = ["queue_error_without_effect", "queue_error_with_effect"] as const;
const ofMessages = ["queue_partial_batch", "message_late", "message_doubled", "receiver_fails"] as const;

const ofPool = ["pool_error_without_effect", "pool_error_with_effect"] as const;

const ofAny = ["crash_before_call", "crash_after_call"] as const;

const ofWebhooks = ["webhook_lost", "webhook_late", "webhook_doubled", "webhook_reordered"] as const;
const ofStream = ["batch_late", "batch_doubled", "batch_cut", "event_refused", "record_unreadable"] as const;
const ofTime = ["clock_differs", "record_lapsed", "environment_sluggish"] as const;

export const faultNames = [
  ...ofTableWrites,
  ...ofBatches,
  ...ofStripe,
  ...ofQueues,
  ...ofPool,
  ...ofMessages,
  ...ofAny,
  ...ofWebhooks,
  ...ofStream,
  ...ofTime,
] as const;
export type FaultName = (typeof faultNames)[number];

const perThousand: Readonly<Record<FaultName, number>> = {
  table_throttled: 4,
  table_conflict: 24,
  table_timeout_without_effect: 3,
  table_timeout_with_effect: 14,
  table_timeout_with_late_effect: 14,
  table_in_progress_with_effect: 8,
  table_sent_twice: 16,
  table_slow: 12,
  table_partial_batch: 90,
  stripe_rate_limit: 12,
  stripe_error_without_effect: 8,
  stripe_error_with_effect: 8,
  stripe_timeout_without_effect: 8,
  stripe_timeout_with_effect: 8,
  stripe_slow: 20,
  queue_error_without_effect: 12,
  queue_error_with_effect: 12,
  pool_error_without_effect: 12,
  pool_error_with_effect: 12,
  queue_partial_batch: 12,
  message_late: 40,
  message_doubled: 60,
  receiver_fails: 60,
  crash_before_call: 3,
  crash_after_call: 4,
  webhook_lost: 60,
  webhook_late: 60,
  webhook_doubled: 80,
  webhook_reordered: 120,
  batch_late: 60,
  batch_doubled: 60,
  batch_cut: 120,
  event_refused: 120,
  record_unreadable: 25,
  clock_differs: 700,
  record_lapsed: 200,
  environment_sluggish: 40,
};

/** The target of a call. */
export type Target = "table" | "stripe" | "queue" | "receiver" | "pool";

const ofTarget: Readonly<Record<Target, readonly FaultName[]>> = {
  table: ofTableWrites,
  stripe: ofStripe,
  queue: ofQueues,
  receiver: [],
  pool: ofPool,
};

/** The faults of one history: how often each kind occurs, and how often it has occurred. */
export class Faults {
  readonly #counts: Map<FaultName, number>;
  readonly #strength: number;
  readonly #left: ReadonlySet<FaultName>;
  isOn = false;

  /** @param counts numbers of faults in all histories */
  constructor(chance: Chance, counts: Map<FaultName, number>) {
    this.#counts = counts;
    this.#strength = chance.pick([0, 0.5, 1, 1, 2]) ?? 1;
    this.#left = new Set(faultNames.filter(() => chance.is(0.3)));
  }

  /** Whether faults are so rare that nearly all requests must succeed. */
  get isWeak(): boolean {
    return this.#strength === 0;
  }

  /** Draws whether a fault occurs, and counts it. */
  strikes(name: FaultName, chance: Chance): boolean {
    const draw = chance.next() * 1000;
    if (!this.isOn || this.#left.has(name) || draw >= perThousand[name] * this.#strength) return false;
    this.note(name);
    return true;
  }

  note(name: FaultName): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  /** Draws the fault of a call. Undefined for a call without a fault. */
  ofCall(target: Target, chance: Chance, isRead = false): FaultName | undefined {
    if (!this.isOn) return undefined;
    const names = target === "table" && isRead ? ofTableReads : ofTarget[target];
    return [...names, ...ofAny].find((name) => this.strikes(name, chance));
  }
}
