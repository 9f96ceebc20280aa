import { memberActivityText } from "../data/activity-words.ts";
import { useList } from "../data/use-list.ts";
import { Card } from "../parts/page.tsx";
import { Timeline } from "../parts/timeline.tsx";
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
  return (
    <Card title="Activity">
      <Timeline list={list} textOf={memberActivityText} />
    </Card>
  );
}
