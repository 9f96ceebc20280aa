import { useLayoutEffect, useRef } from "preact/hooks";
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
    <MoreButton isRunning={isLoadingMore} onClick={() => void loadMore()}>
      Show {what}
    </MoreButton>
  );
}

type ButtonProps = Pick<Parameters<typeof Button>[0], "isRunning" | "onClick" | "children">;

/** Leaves the focus to the last link or button of the list. */
function MoreButton(props: ButtonProps) {
  const element = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(
    () => () => {
      if (!element.current?.contains(document.activeElement)) return;
      const list = element.current.previousElementSibling;
      [...(list?.querySelectorAll<HTMLElement>("a, button") ?? [])].at(-1)?.focus({ preventScroll: true });
    },
    [],
  );
  return (
    <p ref={element} class="more">
      <Button {...props} />
    </p>
  );
}
