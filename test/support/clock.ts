import { afterAll, beforeAll, vi } from "vitest";
import { machine } from "#lib/runtime.ts";

type Span = { readonly hours?: number; readonly minutes?: number; readonly seconds?: number };

/** The time so long from now. */
export const fromNow = ({ hours = 0, minutes = 0, seconds = 0 }: Span): Date =>
  new Date(Date.now() + ((hours * 60 + minutes) * 60 + seconds) * 1000);

/** Lets the tests of a file wait for nothing: where the code under test waits, the clock of this process moves on instead. */
export function skipWaits(): void {
  const RealDate = Date;
  let skipped = 0;
  class MovedDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [MovedDate.now()] : given) as [number]));
    }
    static override now = (): number => RealDate.now() + skipped;
  }
  beforeAll(() => {
    vi.stubGlobal("Date", MovedDate);
    vi.spyOn(machine, "wait").mockImplementation(async (milliseconds) => {
      skipped += milliseconds;
      await new Promise(setImmediate);
    });
  });
  afterAll(() => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
  });
}
