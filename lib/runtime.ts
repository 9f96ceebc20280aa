import { randomInt } from "node:crypto";
import { env } from "./env.ts";

/** Time, randomness, waiting and epoch. The lint rules forbid other sources in `lib` and `functions`. Tests replace it. */
export type Runtime = {
  readonly now: () => Date;
  /** A cryptographically random number from 0, inclusive, to 1, exclusive. */
  readonly random: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A signal that aborts after a number of milliseconds. */
  readonly deadline: (milliseconds: number) => AbortSignal;
  /** Number of restores of the table so far (`docs/operations.md`, Restore). */
  readonly epoch: number;
};

/** Maximum range of `randomInt`, which gets a thousand numbers at a time from the operating system. */
const steps = 2 ** 48 - 1;

export const machine: Runtime = {
  now: () => new Date(),
  random: () => randomInt(steps) / steps,
  wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
  deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
  get epoch() {
    return env("EPOCH");
  },
};

/** Random bytes. */
export const bytesOf = ({ random }: Pick<Runtime, "random">, count: number): Uint8Array =>
  Uint8Array.from({ length: count }, () => Math.floor(random() * 256));

/** Full jitter: waits for up to 20 ms, 40 ms, 80 ms …, and no longer than half a second. */
export const backOff = ({ wait, random }: Pick<Runtime, "wait" | "random">, tried: number): Promise<void> =>
  wait(random() * Math.min(500, 10 * 2 ** tried));
