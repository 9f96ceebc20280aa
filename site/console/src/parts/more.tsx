import type { CursorList } from "../data/use-list.ts";
import { Button } from "./button.tsx";
import { Failure } from "./states.tsx";

type MoreProps<T> = {
  readonly of: CursorList<T>;
  /** What the next page has, such as `older deliveries`. */
  readonly what: string;
};

/**
 * The end of a list: the button that shows the next page, or why that failed. Nothing on the last page, or if the list itself
 * could not be loaded.
 */
export function More<T>({ of: { data, error, isLoadingMore, moreError, loadMore }, what }: MoreProps<T>) {
  if (!data?.next_cursor || error !== undefined) return null;
  if (moreError !== undefined) return <Failure what={what} error={moreError} onRetry={() => void loadMore()} />;
  return (
    <p class="more">
      <Button isRunning={isLoadingMore} onClick={() => void loadMore()}>
        Show {what}
      </Button>
    </p>
  );
}
