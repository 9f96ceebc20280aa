import type { Timeline } from "../timeline.ts";
import { type Cause, triggerNames } from "./causes.ts";

/** When a second act of a pair starts: at a call of the first side. */
export type During = {
  /** The name of the first act's step, or of a trigger. */
  readonly of: string;
  readonly counted?: Counted | undefined;
  /** The number of the call. The act starts at the end of the first side if that makes fewer calls. */
  readonly call: number;
  /** Whether the act is left out if the first side makes fewer calls. */
  readonly isOptional?: boolean;
  /** Maximum time until the act starts, in milliseconds. */
  readonly within: number;
};

/** Which calls count. By default, all. */
export type Counted = {
  /** Whether only calls count that write. */
  readonly isWrite?: boolean;
  /** Only calls to the target of this name count, and those to items whose sort keys begin with it. */
  readonly about?: string;
};

/** A call: where it goes, whether it only reads, and the names of the items that it reads or writes. */
type Called = { readonly target: string; readonly isRead?: boolean; readonly items?: readonly string[] };

type Meeting = Pick<During, "of" | "counted"> & {
  readonly second: string;
  left: number;
  readonly start: (isReached: boolean) => void;
};

/** Lets the second act of each pair start in the middle of the first side. */
export class Meetings {
  readonly #timeline: Timeline;
  readonly #running = new Set<string>();
  readonly #expected = new Set<Meeting>();

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
  }

  /** Runs an act, at a call of the first side of its pair if it is a second one. */
  async run(act: string, during: During | undefined, work: () => Promise<unknown>): Promise<void> {
    if (during && !(await this.#reach(during, act)) && during.isOptional) return;
    this.#running.add(act);
    await work();
    this.#running.delete(act);
    for (const { of, start } of this.#expected) if (of === act) start(false);
  }

  /** Counts a call of a cause. @returns the act that starts at this call */
  startedAt({ name, run }: Cause, call: Called): string | undefined {
    for (const meeting of this.#expected) {
      if ((meeting.of !== run && meeting.of !== name) || !isCounted(call, meeting.counted)) continue;
      if (--meeting.left > 0) continue;
      meeting.start(true);
      return meeting.second;
    }
    return undefined;
  }

  /** Waits for a call. @returns whether it was made */
  #reach({ of, counted, call, within }: During, second: string): Promise<boolean> {
    const isKnown = this.#running.has(of) || triggerNames.some((name) => name === of);
    if (!isKnown) return Promise.resolve(false);
    return new Promise((resolve) => {
      const start = (isReached: boolean) => {
        if (this.#expected.delete(meeting)) resolve(isReached);
      };
      const meeting = { of, counted, second, left: call, start };
      this.#expected.add(meeting);
      this.#timeline.after(within, () => start(false));
    });
  }
}

function isCounted({ target, isRead = false, items = [] }: Called, { isWrite = false, about }: Counted = {}): boolean {
  if (isWrite && isRead) return false;
  return about === undefined || about === target || items.some((name) => name.split(" ")[1]?.startsWith(about));
}
