import cliProgress from "cli-progress";

export type Progress = {
  readonly start: (total: number | null, done?: number) => void;
  /** Adds to the number done. `total` can be lower than that number, because the server counts it. */
  readonly add: (count: number, total?: number | null) => void;
  readonly stop: () => void;
};

/** Shows a progress bar with rate and remaining time on a terminal. Elsewhere, prints a line every five seconds. */
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
  /** Shows the cursor again, and ends the process with the same signal. */
  const interrupt = (signal: NodeJS.Signals) => {
    bar.stop();
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt).kill(process.pid, signal);
  };
  return {
    start(total, from = 0) {
      begun = performance.now();
      process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
      bar.start(total ?? 0, from, { rate: 0 });
    },
    add(count, total) {
      done += count;
      if (total !== undefined) bar.setTotal(Math.max(total ?? 0, done));
      const seconds = (performance.now() - begun) / 1000;
      bar.increment(count, { rate: Math.round(done / Math.max(seconds, 0.001)) });
    },
    stop() {
      bar.stop();
      process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
    },
  };
}

/** A line on a terminal that says what a command waits for. */
export type Status = {
  /** Replaces the text. */
  readonly set: (text: string) => void;
  /** Removes the line until the next second, so that something else can be printed. */
  readonly clear: () => void;
};

/** Shows a line with the elapsed seconds on standard error while `work` takes longer than a second, on a terminal only. */
export async function withStatus<T>(isQuiet: boolean, work: (status: Status) => Promise<T>): Promise<T> {
  if (isQuiet || !process.stderr.isTTY) return work({ set() {}, clear() {} });
  const begun = performance.now();
  let text = "Waiting for the API";
  let isShown = false;
  const clear = () => {
    if (isShown) process.stderr.write(emptyLine);
    isShown = false;
  };
  const timer = setInterval(() => {
    process.stderr.write(`${emptyLine}${text} (${Math.round((performance.now() - begun) / 1000)} s)`);
    isShown = true;
  }, 1000);
  const set = (next: string) => {
    text = next;
  };
  try {
    return await work({ set, clear });
  } finally {
    clearInterval(timer);
    clear();
  }
}

const emptyLine = "\r\u001B[K";
