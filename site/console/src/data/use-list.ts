import { useRef, useState } from "preact/hooks";
import type { Load } from "../parts/states.tsx";
import { isSignedOut, useSession } from "../session.tsx";
import { useLoad } from "./use-load.ts";

export type CursorPage<T> = {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
  readonly total?: number | null;
};

export type CursorList<T> = Load<CursorPage<T>> & {
  /** Whether `loadMore` has to wait: for the next records, or for the first ones of a list that is loaded again. */
  readonly isLoadingMore: boolean;
  readonly moreError?: unknown;
  readonly loadMore: () => Promise<void>;
};

type Options<T> = {
  /** Number of records that are loaded at once, from as many pages as it takes. Pages of a filtered list can be empty. */
  readonly per?: number;
  /** Records that are shown at first, until as many are loaded again. */
  readonly kept?: CursorPage<T> | undefined;
};

/**
 * A list that is paged by a cursor. `loadMore` appends the next records. It is canceled when the list is loaded again or
 * disappears.
 */
export function useList<T>(
  load: (cursor: string | undefined, signal?: AbortSignal) => Promise<CursorPage<T>>,
  inputs: readonly unknown[],
  { per = 1, kept }: Options<T> = {},
): CursorList<T> {
  const { end } = useSession();
  const atFirst = useRef(kept?.data.length ?? 0);
  const loadUntil = async (count: number, cursor?: string, signal?: AbortSignal): Promise<CursorPage<T>> => {
    let page = await load(cursor, signal);
    while (page.data.length < count && page.next_cursor !== null) {
      const next = await load(page.next_cursor, signal);
      page = { ...next, data: [...page.data, ...next.data] };
    }
    return page;
  };
  // Aborted when an input changes, on a reload and on unmount.
  const latest = useRef<AbortSignal | undefined>(undefined);
  const loadFirst = async (signal: AbortSignal): Promise<CursorPage<T>> => {
    latest.current = signal;
    setMore({ isLoading: false });
    const page = await loadUntil(Math.max(per, atFirst.current), undefined, signal);
    atFirst.current = 0;
    return page;
  };
  const list = useLoad(loadFirst, inputs, kept);
  const [more, setMore] = useState<{ readonly isLoading: boolean; readonly error?: unknown }>({ isLoading: false });
  const { data: shown, setData } = list;

  const loadMore = async (): Promise<void> => {
    const signal = latest.current;
    if (!shown?.next_cursor) return;
    setMore({ isLoading: true });
    try {
      const next = await loadUntil(per, shown.next_cursor, signal);
      if (signal?.aborted) return;
      setData({ ...next, data: [...shown.data, ...next.data] });
      setMore({ isLoading: false });
    } catch (error) {
      if (signal?.aborted) return;
      if (isSignedOut(error)) void end({ hasEnded: true });
      setMore({ isLoading: false, error });
    }
  };

  return { ...list, isLoadingMore: more.isLoading || list.isLoading, moreError: more.error, loadMore };
}
