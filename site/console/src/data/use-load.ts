import { useCallback, useEffect, useState } from "preact/hooks";
import type { Load } from "../parts/states.tsx";
import { isSignedOut, useSession } from "../session.tsx";

const reloads = new Set<() => void>();

/** Loads everything that is shown again. */
export function reloadAll(): void {
  for (const reload of reloads) reload();
}

type State<T> = { readonly data?: T; readonly error?: unknown; readonly isLoading: boolean };

/**
 * Loads when the component appears, and again when an input changes. A request that is no longer needed is canceled.
 * A person whose session has ended is asked to sign in. `kept` is shown until it is loaded again.
 */
export function useLoad<T>(load: (signal: AbortSignal) => Promise<T>, inputs: readonly unknown[], kept?: T): Load<T> {
  const { end } = useSession();
  const [state, setState] = useState<State<T>>({ ...(kept !== undefined && { data: kept }), isLoading: true });
  const [attempt, setAttempt] = useState(0);
  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  const setData = useCallback((data: T) => setState({ data, isLoading: false }), []);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState(({ data }) => ({ ...(data !== undefined && { data }), isLoading: true }));
    load(signal).then(
      (data) => !signal.aborted && setState({ data, isLoading: false }),
      (error: unknown) => {
        if (signal.aborted) return;
        if (isSignedOut(error)) void end({ hasEnded: true });
        setState(({ data }) => ({ ...(data !== undefined && { data }), error, isLoading: false }));
      },
    );
    return () => controller.abort();
  }, [...inputs, attempt]);

  useEffect(() => {
    reloads.add(reload);
    return () => void reloads.delete(reload);
  }, []);

  return { ...state, reload, setData };
}
