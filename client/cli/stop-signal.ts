const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Waits until the process is asked to end, by Ctrl-C, SIGTERM or a closed terminal. npm repeats the signal of a terminal, so a
 * second signal has no effect, and what follows can be completed. A third one ends the process.
 */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let count = 0;
    const stop = () => {
      resolve();
      if (++count === 2) for (const signal of signals) process.off(signal, stop);
    };
    for (const signal of signals) process.on(signal, stop);
  });
