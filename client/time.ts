/** Time limit of a request, in milliseconds. */
export const defaultTimeout = 60_000;

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
  const aborted = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error));
  });
  const stop = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", stop);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`No response within ${milliseconds} ms`, "TimeoutError")),
    // Timers take 32 bits.
    Math.min(milliseconds, 2 ** 31 - 1),
  );
  try {
    return await Promise.race([run(controller.signal), aborted]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    controller.abort();
  }
}

/** Waits. @throws the reason of the signal once it is aborted */
export const wait = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  withTimeout(milliseconds, signal, () => new Promise<void>(() => {})).catch((error: unknown) => {
    if (signal.aborted) throw error;
  });

/** Whether no response came: the network or a server failed, or the time was over. */
export const isNoResponse = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof DOMException && error.name === "TimeoutError");
