import { useState } from "preact/hooks";
import type { Load } from "../parts/states.tsx";
import { useLoad } from "./use-load.ts";

type CursorPage<T> = {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number | null;
};

export type CursorList<T> = Load<CursorPage<T>> & {
  readonly isLoadingMore: boolean;
  readonly moreError?: unknown;
  readonly loadMore: () => Promise<void>;
};

/** A list that is paged by a cursor. `loadMore` appends the next page. */
export function useList<T>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<CursorPage<T>>,
  inputs: readonly unknown[],
): CursorList<T> {
  const list = useLoad((signal) => load(undefined, signal), inputs);
  const [more, setMore] = useState<{ readonly isLoading: boolean; readonly error?: unknown }>({ isLoading: false });
  const { data: shown, setData } = list;

  const loadMore = async (): Promise<void> => {
    if (!shown?.next_cursor) return;
    setMore({ isLoading: true });
    try {
      const next = await load(shown.next_cursor);
      setData({ ...next, data: [...shown.data, ...next.data] });
      setMore({ isLoading: false });
    } catch (error) {
      setMore({ isLoading: false, error });
    }
  };

  return { ...list, isLoadingMore: more.isLoading, moreError: more.error, loadMore };
}
