import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { keepList, takeList } from "../data/kept-list.ts";
import { useRights } from "../data/rights.ts";
import { useList } from "../data/use-list.ts";
import { useTiers } from "../data/use-records.ts";
import { countOf } from "../format.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { More } from "../parts/more.tsx";
import { Page } from "../parts/page.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { CopyEmails, Export } from "./members-export.tsx";
import { FilterBar, type Filters, filtersOf, GroupChips, isShipped, queryOf } from "./members-filters.tsx";
import { MembersTable } from "./members-table.tsx";

type Props = { readonly communityId: number; readonly query: URLSearchParams };

export function MembersPage({ communityId, query }: Props) {
  const odis = useOdis();
  const may = useRights(communityId);
  const filters = filtersOf(query);
  const params = JSON.stringify(queryOf(filters));
  const labels = { ...queryOf({ ...filters, group: "ready" }), columns: "labels" };
  const link = linkTo(["communities", communityId, "members"], filters);
  const importLink = linkTo(["communities", communityId, "members", "import"]);
  const [kept] = useState(() => takeList(link));
  const { data: tiers = [] } = useTiers(communityId);
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{community_id}/members", {
        params: {
          path: { community_id: communityId },
          query: { per: 100, ...(JSON.parse(params) as object), ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, params],
    { per: 100, kept: kept?.page },
  );
  const left = useRef({ link, page: list.data });
  left.current = { link, page: list.data };
  useLayoutEffect(() => () => keepList(communityId, left.current.link, left.current.page), []);
  useEffect(() => {
    if (!kept) {
      if (query.has("find")) document.querySelector<HTMLElement>('[type="search"]')?.focus();
      return;
    }
    scrollTo(0, kept.scrollY);
    document.querySelector<HTMLElement>(`a[href="${kept.opened}"]`)?.focus({ preventScroll: true });
  }, []);
  const show = (changed: Filters): void =>
    goTo(linkTo(["communities", communityId, "members"], { ...filters, ...changed }), { replace: true });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const shown = list.data?.data.length ?? 0;
  const total = list.data?.total;
  const hasMore = Boolean(list.data?.next_cursor);
  const count = total ?? shown;
  const isEmpty = list.data !== undefined && !isFiltered && shown === 0 && !hasMore;

  return (
    <Page
      title="Members"
      actions={
        !isEmpty &&
        may("members_export") && (
          <>
            <CopyEmails communityId={communityId} filters={params} />
            {tiers.some(isShipped) && (
              <Export communityId={communityId} filters={labels} label="Shipping labels" thing="label" />
            )}
            <Export communityId={communityId} filters={queryOf(filters)} label="Export CSV" thing="member" />
            {may("members_import") && <ButtonLink href={importLink}>Import members</ButtonLink>}
          </>
        )
      }
    >
      {!isEmpty && (
        <>
          <GroupChips communityId={communityId} tiers={tiers} filters={filters} onChange={show} />
          <FilterBar tiers={tiers} filters={filters} onChange={show} />
        </>
      )}
      <p class="result-count" role="status">
        {list.data && list.isLoading && "Searching…"}
        {list.data &&
          !list.isLoading &&
          !isEmpty &&
          `${hasMore && total === null ? "More than " : ""}${countOf(count, "member")}`}
      </p>
      <div aria-busy={list.isLoading}>
        <Loaded what="the members" of={list} lines={8}>
          {({ data }) => (
            <>
              {data.length > 0 && <MembersTable communityId={communityId} members={data} />}
              {data.length === 0 && !hasMore && (
                <Empty icon="members" title={isFiltered ? "No members match" : "There are no members yet"}>
                  {isFiltered ? (
                    <>
                      {filters.query && <p>The search finds the beginnings of names and email addresses.</p>}
                      <Button onClick={() => goTo(linkTo(["communities", communityId, "members"]))}>
                        Show all members
                      </Button>
                    </>
                  ) : (
                    <>
                      <p>People become members when they subscribe to a tier through Stripe Checkout.</p>
                      {may("members_import") && (
                        <>
                          <p>If you have members in another system, bring them here as a CSV file.</p>
                          <ButtonLink href={importLink}>Import your members</ButtonLink>
                        </>
                      )}
                    </>
                  )}
                </Empty>
              )}
              <More of={list} what="more members" />
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}
