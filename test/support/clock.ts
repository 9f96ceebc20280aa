import { afterAll, beforeAll, vi } from "vitest";
import { machine } from "#lib/runtime.ts";

type Span = { readonly hours?: number; readonly minutes?: number; readonly seconds?: number };

/** The time after a time span from now. */
export const fromNow = ({ hours = 0, minutes = 0, seconds = 0 }: Span): Date =>
  new Date(Date.now() + ((hours * 60 + minutes) * 60 + seconds) * 1000);

/** Makes the code under test advance this process's clock instead of waiting. */
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
