import { actorText, type Entry } from "../data/activity-words.ts";
import type { CursorList } from "../data/use-list.ts";
import { timeOf } from "../format.ts";
import { useSession } from "../session.tsx";
import { Button } from "./button.tsx";
import { Empty, Loaded } from "./states.tsx";

type Props<T> = {
  readonly list: CursorList<T>;
  /** Whether only the newest entries are shown. */
  readonly isShort?: boolean;
  readonly textOf: (entry: T) => string;
};

/** Entries of an activity, newest first. */
export function Timeline<T extends Entry>({ list, isShort = false, textOf }: Props<T>) {
  const { me } = useSession();
  return (
    <Loaded what="the activity" of={list}>
      {({ data, next_cursor }) => (
        <>
          {data.length === 0 && <Empty title="No activity yet" />}
          <ol class="timeline">
            {data.map((entry) => (
              <li key={entry.id}>
                <span>{textOf(entry)}</span>
                <span class="muted">
                  <time dateTime={entry.at}>{timeOf(entry.at)}</time> · {actorText(entry, me)}
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
