import { useState } from "preact/hooks";
import { actorText, communityActivityText } from "../data/activity-words.ts";
import type { CommunityActivity } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { type CursorList, useList } from "../data/use-list.ts";
import { Button } from "../parts/button.tsx";
import { DayFields, type Days, daysOf } from "../parts/day-fields.tsx";
import { MemberLink } from "../parts/member-link.tsx";
import { Card, Page } from "../parts/page.tsx";
import { Empty } from "../parts/states.tsx";
import { Timeline } from "../parts/timeline.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis, useSession } from "../session.tsx";
import { ActivitySearch, type Actor } from "./activity-search.tsx";
import { Export } from "./members-export.tsx";
import { Choice } from "./members-filters.tsx";

type PageProps = { readonly communityId: number; readonly query: URLSearchParams };

type RecordType = CommunityActivity["record"]["type"];

type Filters = Days & {
  readonly actor_id?: string | undefined;
  readonly type?: RecordType | undefined;
};

const types: Readonly<Record<RecordType, string>> = {
  member: "Members",
  tier: "Tiers",
  benefit: "Benefits",
  community: "Community",
  team_member: "Team",
  invitation: "Invitations",
  api_key: "API keys",
  event_destination: "Event destinations",
};

/** The filters that an address names. */
function filtersOf(query: URLSearchParams): Filters {
  const actorId = query.get("actor_id") ?? "";
  return {
    actor_id: /^[1-9]\d{0,14}$/.test(actorId) ? actorId : undefined,
    type: (Object.keys(types) as RecordType[]).find((type) => type === query.get("type")),
    ...daysOf(query),
  };
}

/** What people and API keys changed in a community and did to its members. */
export function ActivityPage({ communityId, query }: PageProps) {
  const may = useRights(communityId);
  const filters = filtersOf(query);
  const { actor_id, type, from, to } = filters;
  const { me } = useSession();
  const list = useActivity(communityId, 30, filters);
  const [found, setFound] = useState<Actor>();
  const entry = list.data?.data.find(({ actor }) => String(actor.id) === actor_id);
  const actorName = entry ? actorText(entry, me) : String(found?.id) === actor_id ? found?.name : "one person";
  const linkWith = (changed: Filters): string =>
    linkTo(["communities", communityId, "activity"], { ...filters, ...changed });
  const change = (changed: Filters): void => goTo(linkWith(changed), { replace: true });
  return (
    <Page
      title="Activity"
      lead={<p>Who did what in the community and to its members. What Stripe did is on the page of each member.</p>}
      actions={
        may("members_export") && (
          <Export
            communityId={communityId}
            filters={{ actor_id, type, from, to }}
            label="Export CSV"
            list="activity"
            thing="action"
          />
        )
      }
    >
      {actor_id && (
        <ul class="group-chips" aria-label="Person or API key">
          <li>
            <button type="button" class="group-chip" aria-pressed onClick={() => change({ actor_id: undefined })}>
              By {actorName} <span aria-hidden="true">×</span>
              <span class="hidden">, show everybody</span>
            </button>
          </li>
        </ul>
      )}
      <search class="filters">
        <ActivitySearch
          communityId={communityId}
          entries={list.data?.data ?? []}
          onActor={(actor) => {
            setFound(actor);
            change({ actor_id: String(actor.id) });
          }}
        />
        <Choice
          label="Show"
          all="Everything"
          value={type}
          choices={Object.entries(types)}
          onChange={(chosen) => change({ type: (Object.keys(types) as RecordType[]).find((one) => one === chosen) })}
        />
        <DayFields days={{ from, to }} onChange={change} />
      </search>
      <Card title="Changes">
        <CommunityTimeline
          communityId={communityId}
          list={list}
          linkWith={linkWith}
          isFiltered={[actor_id, type, from, to].some(Boolean)}
        />
      </Card>
    </Page>
  );
}

/** The changes to a community and its members that match the filters, newest first. */
export function useActivity(communityId: number, per: number, { actor_id, type, from, to }: Filters = {}) {
  const odis = useOdis();
  return useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{id}/activity", {
        params: {
          path: { id: communityId },
          query: {
            per,
            ...(actor_id && { actor_id: Number(actor_id) }),
            ...(type && { type }),
            ...(from && { from }),
            ...(to && { to }),
            ...(cursor !== undefined && { cursor }),
          },
        },
        ...(signal && { signal }),
      }),
    [communityId, actor_id, type, from, to],
  );
}

type Props = {
  readonly communityId: number;
  readonly list: CursorList<CommunityActivity>;
  /** Whether only the newest entries are shown. */
  readonly isShort?: boolean;
  readonly isFiltered?: boolean;
  /** Returns the address of the page with changed filters. Without it, actors are no links. */
  readonly linkWith?: (changed: Filters) => string;
};

export function CommunityTimeline({ communityId, list, isShort = false, isFiltered = false, linkWith }: Props) {
  return (
    <Timeline
      list={list}
      isShort={isShort}
      textOf={(entry) => <Action communityId={communityId} entry={entry} />}
      actorOf={({ actor: { id } }, name) =>
        linkWith && id !== null ? (
          <a href={linkWith({ actor_id: String(id) })} aria-label={`Only what ${name} did`}>
            {name}
          </a>
        ) : (
          name
        )
      }
      empty={isFiltered ? <NothingFound linkWith={linkWith} /> : <NothingYet />}
    />
  );
}

function Action({ communityId, entry }: { readonly communityId: number; readonly entry: CommunityActivity }) {
  const { id, name, type } = entry.record;
  if (type !== "member") return <>{communityActivityText(entry)}</>;
  return (
    <>
      <MemberLink communityId={communityId} member={{ id, name }} />
      {" · "}
      {communityActivityText(entry)}
    </>
  );
}

function NothingFound({ linkWith }: Pick<Props, "linkWith">) {
  const none = { actor_id: undefined, type: undefined, from: undefined, to: undefined };
  return (
    <Empty title="Nothing matches these filters">
      {linkWith && <Button onClick={() => goTo(linkWith(none))}>Show everything</Button>}
    </Empty>
  );
}

function NothingYet() {
  return (
    <Empty title="No activity yet">
      <p>
        Every change of the community, its tiers, its benefits and its team appears here, and every refund, block or
        cancellation of a member, with the name of who did it.
      </p>
    </Empty>
  );
}
