import { OdisProblem } from "./problem.ts";
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
  read: (init: Parts) => Promise<unknown>,
  { timeout = 30_000, signal: caller }: WaitOptions = {},
): Promise<Membership> {
  let membership: Membership | undefined;
  try {
    await withTimeout(timeout, caller, async (signal) => {
      for (let pause = 500; !isDecided(membership); pause = Math.min(pause * 1.5, 5000)) {
        try {
          membership = (await read({ signal })) as Membership;
        } catch (error) {
          if (!isTemporary(error)) throw error;
        }
        if (!isDecided(membership)) await wait(pause, signal);
      }
    });
  } catch (error) {
    if (!membership || caller?.aborted || !isTemporary(error)) throw error;
  }
  return membership as Membership;
}

/** A blocked person does not get access by paying. */
const isDecided = (membership: Membership | undefined): boolean =>
  membership !== undefined && (membership.access.granted || membership.access.reason === "blocked");

const isTemporary = (error: unknown): boolean =>
  error instanceof OdisProblem ? error.status === 429 || error.status >= 500 : isNoResponse(error);
