import { useCallback, useEffect, useState } from "preact/hooks";

type Request<T> = {
  /** What was loaded last. It stays while it is loaded again, and if that fails. */
  readonly data?: T;
  readonly error?: unknown;
  readonly isLoading: boolean;
  readonly reload: () => void;
};

/** Loads when the component appears, and again when an input changes. A request that is no longer needed is canceled. */
export function useRequest<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[]): Request<T> {
  const [state, setState] = useState<Omit<Request<T>, "reload">>({ isLoading: true });
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);

  useEffect(() => {
    const controller = new AbortController();
    const set = (next: Omit<Request<T>, "reload">): void => {
      if (!controller.signal.aborted) setState(({ data }) => ({ data, ...next }));
    };
    set({ isLoading: true });
    load(controller.signal).then(
      (data) => set({ data, isLoading: false }),
      (error: unknown) => set({ error, isLoading: false }),
    );
    return () => controller.abort();
  }, [...inputs, attempt]);

  return { ...state, reload };
}
