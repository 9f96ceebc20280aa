import { randomBytes } from "node:crypto";

/** Time, chance and waiting. Nothing else in `lib` or `functions` asks the machine for them (lint): tests replace them. */
export type Runtime = {
  readonly now: () => Date;
  /** A number from 0, included, to 1, excluded, that nobody can guess. */
  readonly random: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
  /** A signal that aborts after so many milliseconds. */
  readonly deadline: (milliseconds: number) => AbortSignal;
};

export const machine: Runtime = {
  now: () => new Date(),
  random: () => {
    const bytes = randomBytes(8);
    return (bytes.readUInt32BE(0) * 2 ** 21 + (bytes.readUInt32BE(4) >>> 11)) / 2 ** 53;
  },
  wait: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
  deadline: (milliseconds) => AbortSignal.timeout(milliseconds),
};

/** Full jitter: waits for up to 20 ms, 40 ms, 80 ms …, and no longer than half a second. */
export const backOff = ({ wait, random }: Pick<Runtime, "wait" | "random">, tried: number): Promise<void> =>
  wait(random() * Math.min(500, 10 * 2 ** tried));
