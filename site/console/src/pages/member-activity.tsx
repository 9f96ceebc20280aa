import { memberActivityText } from "../data/activity-words.ts";
import { useList } from "../data/use-list.ts";
import { nameOf } from "../format.ts";
import { Card } from "../parts/page.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { useOdis, useSession } from "../session.tsx";
import type { MemberProps } from "./member-props.ts";

export function MemberActivity({ communityId, member, changes }: MemberProps & { readonly changes: number }) {
  const odis = useOdis();
  const { me } = useSession();
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{community_id}/members/{id}/activity", {
        params: {
          path: { community_id: communityId, id: member.id },
          query: { per: 15, ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, member.id, changes],
  );
  const people = new Map([[member.user.id, nameOf(member.user)]]);
  if (me?.user) people.set(me.user.id, "You");
  return (
    <Card title="Activity">
      <Timeline list={list} textOf={memberActivityText} people={people} />
    </Card>
  );
}
