import cliProgress from "cli-progress";

export type Progress = {
  readonly start: (total: number | null, done?: number) => void;
  /** `total`, where it is counted by others, may come behind. */
  readonly add: (count: number, total?: number | null) => void;
  readonly stop: () => void;
};

/** Shows on a terminal how far something is, how fast, and how long it will take; elsewhere a line every few seconds. */
export function progressOf(what: string, isQuiet: boolean): Progress {
  if (isQuiet) return { start() {}, add() {}, stop() {} };
  const bar = new cliProgress.SingleBar({
    format: `{bar} {percentage}% | {value}/{total} ${what} | {rate}/s | {eta_formatted} left`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 5000,
    stream: process.stderr,
  });
  let done = 0;
  let begun = 0;
  return {
    start(total, from = 0) {
      begun = performance.now();
      bar.start(total ?? 0, from, { rate: 0 });
    },
    add(count, total) {
      done += count;
      if (total !== undefined) bar.setTotal(Math.max(total ?? 0, done));
      const seconds = (performance.now() - begun) / 1000;
      bar.increment(count, { rate: Math.round(done / Math.max(seconds, 0.001)) });
    },
    stop: () => bar.stop(),
  };
}
