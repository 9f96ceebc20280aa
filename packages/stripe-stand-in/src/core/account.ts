import type { Faults } from "./faults.ts";
import { idOf, type Reference } from "./objects/common.ts";
import type { Change, Kind, State, Tables } from "./state.ts";

/** The API call that caused a change. Changes by the clock have none. */
export type Cause = { readonly requestId: string; readonly idempotencyKey: string | null };

type CommitListener = (changes: readonly Change[]) => void;

/** The Stripe account that the stand-in serves: its objects, its clock, its source of ids, and its injected faults. */
export type Account = {
  readonly id: string;
  readonly faults: Faults;
  /** The URL that the hosted pages are served from, without a trailing slash. */
  readonly baseUrl: string;
  /** The account's own time, in seconds since 1970. */
  readonly now: () => number;
  /** Runs work with the clock set to the given time. */
  readonly at: <T>(seconds: number, work: () => T) => T;
  /** A new id that cannot be mistaken for one of Stripe's: `ch_fake…`. */
  readonly newId: (prefix: string) => string;
  readonly cause: () => Cause | undefined;

  /** Returns the referenced object. Undefined if the reference is empty or the object does not exist. */
  readonly get: <K extends Kind>(kind: K, reference: Reference) => Tables[K] | undefined;
  readonly rows: <K extends Kind>(kind: K) => Iterable<Tables[K]>;
  readonly put: <K extends Kind>(kind: K, object: Tables[K]) => void;
  readonly remove: (kind: Kind, id: string) => void;

  /** Runs work in a transaction. If it throws, all changes are rolled back, unless `isKept` accepts the error. */
  readonly transact: <T>(work: () => T, options?: { cause?: Cause; isKept?: (failure: unknown) => boolean }) => T;
  readonly onCommit: (listener: CommitListener) => void;
};

export type AccountOptions = {
  readonly id: string;
  /** Milliseconds since 1970. Endpoints compare the time of a signature with their own clock. */
  readonly now: () => number;
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number;
  readonly state: State;
  readonly faults: Faults;
  readonly baseUrl: string;
};

type Transaction = {
  readonly cause: Cause | undefined;
  readonly changes: Map<string, Change>;
  readonly undo: (() => void)[];
};

export function createAccount({
  id: accountId,
  state,
  faults,
  baseUrl,
  now: wallClock,
  random,
}: AccountOptions): Account {
  const listeners: CommitListener[] = [];
  let current: Transaction | undefined;
  let pinned: number | undefined;

  const now = () => pinned ?? Math.floor(wallClock() / 1000) + (state.clock.get("clock")?.offset ?? 0);

  function at<T>(seconds: number, work: () => T): T {
    const before = pinned;
    pinned = seconds;
    try {
      return work();
    } finally {
      pinned = before;
    }
  }

  function newId(prefix: string): string {
    const fourDigits = () =>
      Math.floor(random() * 0x10000)
        .toString(16)
        .padStart(4, "0");
    return `${prefix}_fake${Array.from({ length: 4 }, fourDigits).join("")}`;
  }

  function write<K extends Kind>(kind: K, id: string, object: Tables[K] | null): void {
    if (!current) throw new Error("The local Stripe changes only inside a transaction");
    const rows: Map<string, Tables[K]> = state[kind];
    const before = rows.get(id);
    current.undo.push(() => (before === undefined ? rows.delete(id) : rows.set(id, before)));
    current.changes.set(`${kind} ${id}`, { kind, id, object });
    if (object === null) rows.delete(id);
    else rows.set(id, object);
  }

  return {
    id: accountId,
    faults,
    baseUrl,
    now,
    at,
    newId,
    cause: () => current?.cause,
    get: (kind, reference) => state[kind].get(idOf(reference) ?? ""),
    rows: (kind) => state[kind].values(),
    put: (kind, object) => write(kind, object.id, object),
    remove: (kind, id) => write(kind, id, null),

    transact(work, { cause, isKept = () => false } = {}) {
      if (current) throw new Error("A transaction of the local Stripe is under way");
      const transaction: Transaction = { cause, changes: new Map(), undo: [] };
      current = transaction;
      try {
        // The clock does not advance during a call.
        return at(now(), work);
      } catch (failure) {
        if (!isKept(failure)) {
          for (const undo of transaction.undo.toReversed()) undo();
          transaction.changes.clear();
        }
        throw failure;
      } finally {
        current = undefined;
        const changes = [...transaction.changes.values()];
        if (changes.length > 0) for (const listener of listeners) listener(changes);
      }
    },
    onCommit: (listener) => void listeners.push(listener),
  };
}
