/**
 * Runs a function until it ends, a time is over, or a signal is aborted, whichever is first. Then aborts the signal that the
 * function gets, so that nothing goes on in the background.
 *
 * @throws DOMException `TimeoutError` if the time is over, the reason of the signal if it is aborted
 */
export async function withTimeout<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  return new Promise<T>((resolve, reject) => {
    const stop = (reason: unknown): void => {
      controller.abort(reason);
      reject(reason);
    };
    const error = new DOMException("Timed out", "TimeoutError");
    // Timers take 32 bits.
    timer = setTimeout(stop, Math.min(milliseconds, 2 ** 31 - 1), error);
    signal?.addEventListener("abort", () => stop(signal.reason), { signal: controller.signal });
    run(controller.signal).then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    controller.abort();
  });
}

/** Waits. @throws the reason of the signal once it is aborted */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  withTimeout(milliseconds, signal, () => new Promise<void>(() => {})).catch(() => signal.throwIfAborted());

/** Whether no response came: the network or a server failed, or the time was over. */
export const isNoResponse = (error: unknown): boolean =>
  error instanceof TypeError || (error as Error).name === "TimeoutError";
