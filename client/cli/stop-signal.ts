/**
 * Waits until the process is asked to end, by Ctrl-C or SIGTERM. npm repeats the signal of a terminal, so a second signal has
 * no effect, and what follows can be completed. A third one ends the process.
 */
export const stopSignal = (): Promise<void> =>
  new Promise((resolve) => {
    let count = 0;
    const stop = () => {
      resolve();
      if (++count === 2) process.off("SIGINT", stop).off("SIGTERM", stop);
    };
    process.on("SIGINT", stop).on("SIGTERM", stop);
  });
