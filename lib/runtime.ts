import { randomInt } from "node:crypto";
import { env } from "./env.ts";

/** Time, chance, waiting and epoch. Nothing else in `lib` or `functions` asks the machine for them (lint): tests replace them. */
export type Runtime = {
  readonly now: () => Date;
  /** A number from 0, included, to 1, excluded, that nobody can guess. */
  readonly random: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (milliseconds: number) => AbortSignal;
  /** How many restores of the table came before: 0 at first, then higher with each (`docs/operations.md`, Restore). */
  readonly epoch: number;
};

/** As many as `randomInt` can tell apart. It asks the operating system for a thousand numbers at a time. */
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
