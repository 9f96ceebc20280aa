import { useEffect, useRef } from "preact/hooks";
import { memberActivityText } from "../data/activity-words.ts";
import { useList } from "../data/use-list.ts";
import { Card } from "../parts/page.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { usePlace } from "../router.ts";
import { useOdis } from "../session.tsx";
import { type MemberProps, memberPath, pathOf } from "./member-props.ts";

export function MemberActivity({ communityId, member, changes }: MemberProps & { readonly changes: number }) {
  const odis = useOdis();
  const list = useList(
    (cursor, signal) =>
      odis.get(`${memberPath}/activity`, {
        params: {
          path: pathOf({ communityId, member }),
          query: { per: 15, ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, member.id, changes],
  );
  const { query } = usePlace();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (query.get("show") === "activity") element.current?.focus();
  }, []);
  return (
    <div ref={element} tabIndex={-1}>
      <Card title="Activity">
        <Timeline list={list} textOf={memberActivityText} />
      </Card>
    </div>
  );
}
