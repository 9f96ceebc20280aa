import type { OdisProblem } from "./problem.ts";
import type { Parts } from "./request.ts";
import type { Membership } from "./schema.ts";
import { isNoResponse, wait, withTimeout } from "./time.ts";

export type WaitOptions = {
  /** Longest wait, in milliseconds. Default: 30,000 */
  readonly timeout?: number;
  /** Cancels the wait. */
  readonly signal?: AbortSignal;
};

/**
 * Reads a membership until it grants access, with growing pauses of at most five seconds. Failures of the network and of
 * the service count as a membership without access.
 */
export async function waitForAccess(
  read: (init: Parts) => Promise<Membership>,
  { timeout = 30_000, signal: caller }: WaitOptions = {},
): Promise<Membership> {
  let membership: Membership | undefined;
  await withTimeout(timeout, caller, async (signal) => {
    for (let pause = 500; ; pause = Math.min(pause * 1.5, 5000)) {
      membership = await read({ signal }).catch((error: OdisProblem) => {
        if (error.status > 428 || isNoResponse(error)) return membership;
        throw error;
      });
      // A blocked person does not get access by paying.
      if (membership?.access.granted || membership?.access.reason === "blocked") return;
      await wait(pause, signal);
    }
  }).catch((error: unknown) => {
    if (!membership || !isNoResponse(error)) throw error;
  });
  return membership as Membership;
}
