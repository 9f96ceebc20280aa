import type { CursorList } from "../data/use-list.ts";
import { timeOf } from "../format.ts";
import { Button } from "./button.tsx";
import { Empty, Loaded } from "./states.tsx";

type Row = { readonly id: number; readonly at: string; readonly text: string; readonly by: string };

type Props<T> = {
  readonly list: CursorList<T>;
  readonly what: string;
  readonly isShort?: boolean;
  readonly rowOf: (entry: T) => Row;
};

/** Entries of an activity, newest first. */
export function Timeline<T>({ list, what, isShort = false, rowOf }: Props<T>) {
  return (
    <Loaded what={what} of={list}>
      {({ data, next_cursor }) => (
        <>
          {data.length === 0 && <Empty title="Nothing has happened yet" />}
          <ol class="timeline">
            {data.map(rowOf).map(({ id, at, text, by }) => (
              <li key={id}>
                <span>{text}</span>
                <span class="muted">
                  <time dateTime={at}>{timeOf(at)}</time> · {by}
                </span>
              </li>
            ))}
          </ol>
          {next_cursor !== null && !isShort && (
            <p>
              <Button isRunning={list.isLoadingMore} onClick={() => void list.loadMore()}>
                Show older entries
              </Button>
            </p>
          )}
        </>
      )}
    </Loaded>
  );
}
