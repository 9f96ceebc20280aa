import type { ComponentChildren } from "preact";
import { actorText, type Entry } from "../data/activity-words.ts";
import type { CursorList } from "../data/use-list.ts";
import { timeOf } from "../format.ts";
import { useSession } from "../session.tsx";
import { More } from "./more.tsx";
import { Empty, Loaded } from "./states.tsx";

type Props<T> = {
  readonly list: CursorList<T>;
  /** Whether only the newest entries are shown. */
  readonly isShort?: boolean;
  readonly textOf: (entry: T) => ComponentChildren;
  /** Shows the actor of an entry. Default: the name. */
  readonly actorOf?: (entry: T, name: string) => ComponentChildren;
  /** Default: a title. */
  readonly empty?: ComponentChildren;
};

/** Ids of entries are unique within a record only. */
const keyOf = (entry: Entry): string => ("record" in entry ? `${entry.record.id} ${entry.id}` : String(entry.id));

/** Entries of an activity, newest first. */
export function Timeline<T extends Entry>({ list, isShort = false, textOf, actorOf, empty }: Props<T>) {
  const { me } = useSession();
  return (
    <Loaded what="the activity" of={list}>
      {({ data, next_cursor }) => (
        <>
          {data.length === 0 && next_cursor === null && (empty ?? <Empty title="No activity yet" />)}
          <ol class="timeline">
            {data.map((entry) => (
              <li key={keyOf(entry)}>
                <span>{textOf(entry)}</span>
                <span class="muted">
                  <time dateTime={entry.at}>{timeOf(entry.at)}</time> ·{" "}
                  {actorOf?.(entry, actorText(entry, me)) ?? actorText(entry, me)}
                </span>
              </li>
            ))}
          </ol>
          {!isShort && <More of={list} what="older entries" />}
        </>
      )}
    </Loaded>
  );
}
