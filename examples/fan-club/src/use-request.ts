import { useCallback, useEffect, useState } from "preact/hooks";

export type Request<T> = {
  /** What was loaded last; it stays while it is loaded again. */
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/**
 * Loads when the component appears, and again when one of the inputs changes. A request that is no longer needed is
 * cancelled.
 */
export function useRequest<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Request<T> {
  const [state, setState] = useState<Omit<Request<T>, "reload">>({ isLoading: true });
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    setState(({ data }) => ({ data, isLoading: true }));
    load(controller.signal).then(
      (data) => !controller.signal.aborted && setState({ data, isLoading: false }),
      (error: unknown) => !controller.signal.aborted && setState({ error, isLoading: false }),
    );
    return () => controller.abort();
  }, [...inputs, attempt]);

  return { ...state, reload };
}

/** A function that a button starts: whether it runs, has been done, or how it failed. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<void>) {
  const [state, setState] = useState<{ isRunning: boolean; isDone?: true; error?: unknown }>({ isRunning: false });
  const run = async (...args: A): Promise<void> => {
    setState({ isRunning: true });
    try {
      await act(...args);
      setState({ isRunning: false, isDone: true });
    } catch (error) {
      setState({ isRunning: false, error });
    }
  };
  return { ...state, run };
}
