import type { Faults } from "./faults.ts";
import { idOf, type Reference } from "./objects/common.ts";
import type { Change, Kind, State, Tables } from "./state.ts";

/** The API call that something happened for; what happens by itself has none. */
export type Cause = { readonly requestId: string; readonly idempotencyKey: string | null };

/** What all parts of the stand-in share: its objects, its clock and the faults it was told to have. */
export type Account = {
  readonly faults: Faults;
  /** Where the hosted pages are. */
  readonly pages: () => string;
  /** Seconds since 1970, by this Stripe's own clock. */
  readonly now: () => number;
  /** Lets work happen at another moment. */
  readonly at: <T>(moment: number, work: () => T) => T;
  readonly cause: () => Cause | undefined;

  /** Undefined where it is not there, or nothing was referred to. */
  readonly get: <K extends Kind>(kind: K, reference: Reference) => Tables[K] | undefined;
  readonly rows: <K extends Kind>(kind: K) => Iterable<Tables[K]>;
  readonly put: <K extends Kind>(kind: K, object: Tables[K]) => void;
  readonly remove: (kind: Kind, id: string) => void;

  /** Keeps all that the work changes, or nothing of it where it throws a failure that is not `isKept`. */
  readonly transact: <T>(work: () => T, options?: { cause?: Cause; isKept?: (failure: unknown) => boolean }) => T;
  readonly onCommit: (listener: (changes: readonly Change[]) => void) => void;
};

type Options = {
  readonly state: State;
  readonly faults: Faults;
  readonly pages: () => string;
  /** Milliseconds, as `Date.now`. */
  readonly wallClock: () => number;
};

type Transaction = {
  readonly cause: Cause | undefined;
  readonly changes: Map<string, Change>;
  readonly undo: (() => void)[];
};

export function createAccount({ state, faults, pages, wallClock }: Options): Account {
  const listeners: ((changes: readonly Change[]) => void)[] = [];
  let current: Transaction | undefined;
  let pinned: number | undefined;

  const now = () => pinned ?? Math.floor(wallClock() / 1000) + (state.clock.get("clock")?.offset ?? 0);

  function at<T>(moment: number, work: () => T): T {
    const before = pinned;
    pinned = moment;
    try {
      return work();
    } finally {
      pinned = before;
    }
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
    faults,
    pages,
    now,
    at,
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
        // One call is one moment.
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
