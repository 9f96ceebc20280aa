import type { Timeline } from "../timeline.ts";

/** A log of what happens in a history. It is printed if the history fails, and must be identical for the same seed. */
export class Journal {
  readonly lines: string[] = [];
  readonly #timeline: Timeline;
  readonly #start: number;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.#start = timeline.now;
  }

  /** Whether logging is suspended, for example during checks. */
  isSilent = false;

  note(text: string, { always = false } = {}): void {
    if (this.isSilent && !always) return;
    const passed = (this.#timeline.now - this.#start) / 1000;
    const days = Math.floor(passed / 86_400);
    const seconds = (passed % 86_400).toFixed(3).padStart(9, "0");
    this.lines.push(`${String(days).padStart(3)}d ${seconds}s  ${text}`);
  }
}
