import { communityActivityText } from "../data/activity-words.ts";
import { useList } from "../data/use-list.ts";
import { Card, Page } from "../parts/page.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { useOdis } from "../session.tsx";

export function ActivityPage({ communityId }: { readonly communityId: number }) {
  return (
    <Page title="Activity" lead={<p>Changes to the community, its tiers, benefits and event destinations.</p>}>
      <Card title="Changes">
        <CommunityTimeline communityId={communityId} per={30} />
      </Card>
    </Page>
  );
}

type Props = {
  readonly communityId: number;
  readonly per: number;
  /** Whether only the newest entries are shown. */
  readonly isShort?: boolean;
};

/** The changes to a community, newest first. */
export function CommunityTimeline({ communityId, per, isShort = false }: Props) {
  const odis = useOdis();
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{id}/activity", {
        params: { path: { id: communityId }, query: { per, ...(cursor !== undefined && { cursor }) } },
        ...(signal && { signal }),
      }),
    [communityId],
  );
  return <Timeline list={list} isShort={isShort} textOf={communityActivityText} />;
}
