import { setImmediate } from "node:timers/promises";

type Event = { readonly at: number; readonly order: number; readonly run: () => void };

/** The virtual clock. It advances to the next event only when all code is waiting. */
export class Timeline {
  now: number;
  #order = 0;
  /** A binary heap: no event is before its parent, the event at half its index. */
  readonly #events: Event[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /**
   * Runs a callback after a number of milliseconds. Callbacks with the same time run in the order in which they were
   * added.
   */
  after(milliseconds: number, run: () => void): void {
    this.#push({ at: this.now + Math.max(0, milliseconds), order: this.#order++, run });
  }

  wait = (milliseconds: number): Promise<void> => new Promise((resolve) => this.after(milliseconds, resolve));

  /** Advances the time until a promise settles. @throws Error if no event is left, or after twelve years */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const finish = () => {
      isDone = true;
    };
    work.then(finish, finish);
    const end = this.now + 12 * 366 * 86_400_000;
    for (;;) {
      // All code runs until it waits, before the next event.
      await setImmediate();
      if (isDone) return work;
      const event = this.#pop();
      if (!event || event.at > end) throw new Error("Nothing happens any more, and something is not done");
      this.now = event.at;
      event.run();
    }
  }

  #push(event: Event): void {
    const events = this.#events;
    let place = events.push(event) - 1;
    for (let above = (place - 1) >> 1; place > 0 && isBefore(event, events[above]); above = (place - 1) >> 1) {
      events[place] = events[above] as Event;
      place = above;
    }
    events[place] = event;
  }

  #pop(): Event | undefined {
    const events = this.#events;
    const [first] = events;
    const last = events.pop();
    if (!first || !last || events.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (isBefore(events[below + 1], events[below])) below++;
      const next = events[below];
      if (!next || !isBefore(next, last)) break;
      events[place] = next;
      place = below;
    }
    events[place] = last;
    return first;
  }
}

const isBefore = (a: Event | undefined, b: Event | undefined): boolean =>
  a !== undefined && (b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order));
