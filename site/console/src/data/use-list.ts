import { useRef, useState } from "preact/hooks";
import type { Load } from "../parts/states.tsx";
import { useLoad } from "./use-load.ts";

export type CursorPage<T> = {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number | null;
};

export type CursorList<T> = Load<CursorPage<T>> & {
  readonly isLoadingMore: boolean;
  readonly moreError?: unknown;
  readonly loadMore: () => Promise<void>;
};

/**
 * A list that is paged by a cursor. `loadMore` appends the next page.
 *
 * @param kept records that are shown at first, until as many are loaded again
 */
export function useList<T>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<CursorPage<T>>,
  inputs: readonly unknown[],
  kept?: CursorPage<T>,
): CursorList<T> {
  const atLeast = useRef(kept?.data.length ?? 0);
  const loadAll = async (signal: AbortSignal): Promise<CursorPage<T>> => {
    let page = await load(undefined, signal);
    while (page.data.length < atLeast.current && page.next_cursor !== null) {
      const next = await load(page.next_cursor, signal);
      page = { ...next, data: [...page.data, ...next.data] };
    }
    atLeast.current = 0;
    return page;
  };
  const list = useLoad(loadAll, inputs, kept);
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
