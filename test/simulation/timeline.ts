import { setImmediate } from "node:timers/promises";

type Event = { readonly at: number; readonly order: number; readonly run: () => void };

/** The one clock. It moves only from one event to the next, and only when nobody can go on without. */
export class Timeline {
  now: number;
  #order = 0;
  /** A heap: no event is before the one at half its place. */
  readonly #events: Event[] = [];

  constructor(now: number) {
    this.now = now;
  }

  /** Does something after so many milliseconds. Of two at the same time, the one that was asked for first. */
  after(milliseconds: number, run: () => void): void {
    this.#push({ at: this.now + Math.max(0, milliseconds), order: this.#order++, run });
  }

  wait = (milliseconds: number): Promise<void> => new Promise((resolve) => this.after(milliseconds, resolve));

  /** Lets time pass until something is done. @throws Error where nothing will happen any more, or not within four years */
  async until<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const finish = () => {
      isDone = true;
    };
    work.then(finish, finish);
    const end = this.now + 4 * 366 * 86_400_000;
    for (;;) {
      // Everybody goes on as far as they can before the next event.
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
