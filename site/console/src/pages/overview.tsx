import { statusTexts } from "../data/member-words.ts";
import { isMissing } from "../data/problem-text.ts";
import { useRights } from "../data/rights.ts";
import { useCommunity } from "../data/use-community.ts";
import { useLoad } from "../data/use-load.ts";
import { numberOf } from "../format.ts";
import { Avatar } from "../parts/avatar.tsx";
import { ButtonLink } from "../parts/button.tsx";
import { Card, Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { CommunityTimeline, useActivity } from "./activity.tsx";
import { NotFoundPage } from "./not-found.tsx";
import { Month } from "./overview-month.tsx";
import { Needs } from "./overview-needs.tsx";
import { Movements, Plots } from "./overview-plots.tsx";
import { FirstSteps } from "./overview-start.tsx";

export function OverviewPage({ communityId }: { readonly communityId: number }) {
  const odis = useOdis();
  const load = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/stats", {
        params: { path: { community_id: communityId } },
        signal,
      }),
    [communityId],
  );
  const { data: community } = useCommunity(communityId);
  const may = useRights(communityId);
  const linkToMembers = (query: Readonly<Record<string, string>>) =>
    may("members_read") ? linkTo(["communities", communityId, "members"], query) : undefined;
  const toSearch = linkToMembers({ find: "1" });
  const statuses = load.data && Object.values(load.data.by_status);
  /** Whether nobody has ever been a member. */
  const isEmpty = may("catalog_write") && statuses !== undefined && statuses.every((count) => count === 0);
  if (isMissing(load.error)) return <NotFoundPage />;
  return (
    <Page
      title="Overview"
      lead={<p>{community?.name ?? ""}</p>}
      picture={community && <Avatar of={community} isLarge />}
      actions={!isEmpty && toSearch !== undefined && <ButtonLink href={toSearch}>Find a member</ButtonLink>}
    >
      {isEmpty ? <FirstSteps communityId={communityId} /> : <Month communityId={communityId} />}
      <Needs communityId={communityId} />
      {!isEmpty && <Plots communityId={communityId} />}
      <Loaded what="the figures" of={load} lines={6}>
        {(stats) =>
          isEmpty ? (
            may("activity_read") && <RecentActivity communityId={communityId} />
          ) : (
            <div class="columns even">
              <div class="column">
                <Breakdown
                  title="Members by status"
                  rows={Object.entries(stats.by_status).map(([status, count]) => ({
                    text: statusTexts[status as keyof typeof statusTexts],
                    count,
                    href: linkToMembers({ status }),
                  }))}
                />
                {may("activity_read") && <RecentActivity communityId={communityId} />}
              </div>
              <div class="column">
                <Breakdown
                  title="Members with access by tier"
                  rows={stats.by_tier.map(({ id, name, member_count }) => ({
                    text: name,
                    count: member_count,
                    href: linkToMembers({ tier_id: String(id), group: "access" }),
                  }))}
                />
                <Movements communityId={communityId} movements={stats.movements_30d} />
              </div>
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}

function RecentActivity({ communityId }: { readonly communityId: number }) {
  const list = useActivity(communityId, 5);
  return (
    <Card title="Recent activity" actions={<a href={linkTo(["communities", communityId, "activity"])}>All activity</a>}>
      <CommunityTimeline communityId={communityId} list={list} isShort />
    </Card>
  );
}

type BreakdownRow = { readonly text: string; readonly count: number; readonly href: string | undefined };

/** Counts with bars in proportion, each with a link to the members behind it for those who may see them. */
function Breakdown({ title, rows }: { readonly title: string; readonly rows: readonly BreakdownRow[] }) {
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <Card title={title}>
      {rows.length === 0 && (
        <Empty title="There are no tiers yet">
          <p>People join by subscribing to a tier.</p>
        </Empty>
      )}
      <ul class="bars">
        {rows.map(({ text, count, href }) => (
          <li key={text}>
            {href === undefined ? <span>{text}</span> : <a href={href}>{text}</a>}
            <span class="number">{numberOf(count)}</span>
            <progress max={most} value={count} aria-hidden="true" />
          </li>
        ))}
      </ul>
    </Card>
  );
}
