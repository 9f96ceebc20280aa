import { type ChoiceName, choices, countText, movementText, readMovements } from "../data/movements.ts";
import type { Movement } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { useList } from "../data/use-list.ts";
import { utcDateOf } from "../format.ts";
import { DayFields, type Days, daysOf } from "../parts/day-fields.tsx";
import { MemberLink } from "../parts/member-link.tsx";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { Export } from "./members-export.tsx";
import { Choice } from "./members-filters.tsx";

type Filters = Days & { readonly show?: ChoiceName | undefined };

/** Address of the page with the movements that match. */
export const linkToMovements = (communityId: number, filters: Filters): string =>
  linkTo(["communities", communityId, "movements"], filters);

type Props = { readonly communityId: number; readonly query: URLSearchParams };

/** Who got or lost access to a community, and whose monthly amount changed. */
export function MovementsPage({ communityId, query }: Props) {
  const odis = useOdis();
  const may = useRights(communityId);
  const show = (Object.keys(choices) as ChoiceName[]).find((name) => name === query.get("show"));
  const days = daysOf(query);
  const { from, to } = days;
  const list = useList(
    (cursor, signal) => readMovements(odis, communityId, show, { from, to }, { cursor, signal }),
    [communityId, show, from, to],
    { per: 1000 },
  );
  const change = (changed: Filters): void =>
    goTo(linkToMovements(communityId, { show, from, to, ...changed }), { replace: true });
  return (
    <Page
      title="Joined and left"
      back={{ href: linkTo(["communities", communityId]), text: "Overview" }}
      lead={<p>Each time that somebody got or lost access, or paid a different amount, by day in UTC.</p>}
      actions={
        may("members_export") && (
          <Export
            communityId={communityId}
            filters={{ ...(show && choices[show].filter), from, to }}
            label="Export CSV"
            list="movements"
            thing="change"
          />
        )
      }
    >
      <search class="filters">
        <Choice
          label="Show"
          all="Everything"
          value={show}
          choices={Object.entries(choices).map(([name, { text }]) => [name, text])}
          onChange={(chosen) =>
            change({ show: (Object.keys(choices) as ChoiceName[]).find((name) => name === chosen) })
          }
        />
        <DayFields days={days} onChange={change} />
      </search>
      <p class="result-count" role="status">
        {list.data && list.isLoading && "Searching…"}
        {list.data &&
          !list.isLoading &&
          `${list.data.next_cursor === null ? "" : "More than "}${countText(list.data.data.length, show)}`}
      </p>
      <div aria-busy={list.isLoading}>
        <Loaded what="the changes" of={list} lines={6}>
          {({ data, next_cursor }) =>
            data.length === 0 && next_cursor === null ? (
              <Empty icon="members" title="Nobody in these days">
                <p>Choose other days, or show everything.</p>
              </Empty>
            ) : (
              <>
                <Table communityId={communityId} movements={data} />
                <More of={list} what="earlier changes" />
              </>
            )
          }
        </Loaded>
      </div>
    </Page>
  );
}

type TableProps = { readonly communityId: number; readonly movements: readonly Movement[] };

function Table({ communityId, movements }: TableProps) {
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">Who got or lost access, or paid a different amount</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col" class="wide">
              What
            </th>
            <th scope="col">Day</th>
          </tr>
        </thead>
        <tbody>
          {movements.map((movement, n) => {
            const { at, member } = movement;
            const text = movementText(movement);
            return (
              <tr key={`${at} ${member.id} ${n}`}>
                <th scope="row">
                  <MemberLink communityId={communityId} member={member} />
                  <span class="muted narrow">{text}</span>
                </th>
                <td class="wide">{text}</td>
                <td>{utcDateOf(at)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
