import { useEffect, useState } from "preact/hooks";
import { badgeOf, statusTexts } from "../data/member-words.ts";
import type { Member } from "../data/odis.ts";
import { problemText } from "../data/problem-text.ts";
import { useList } from "../data/use-list.ts";
import { useLoad } from "../data/use-load.ts";
import { countOf, moneyOf, nameOf, shortDateOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { Badge, Page } from "../parts/page.tsx";
import { Empty, Loaded, Notice } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useOdis } from "../session.tsx";
import { Export } from "./members-export.tsx";

type Props = { readonly communityId: number; readonly query: URLSearchParams };
type Filters = {
  readonly query?: string | undefined;
  readonly status?: string | undefined;
  readonly tier_id?: string | undefined;
  readonly is_blocked?: string | undefined;
};

const filtersOf = (query: URLSearchParams): Filters => ({
  query: query.get("query")?.slice(0, 64) || undefined,
  status: Object.keys(statusTexts).find((status) => status === query.get("status")),
  tier_id: /^\d{1,16}$/.test(query.get("tier_id") ?? "") ? (query.get("tier_id") ?? undefined) : undefined,
  is_blocked: ["true", "false"].find((value) => value === query.get("is_blocked")),
});

export function MembersPage({ communityId, query }: Props) {
  const odis = useOdis();
  const filters = filtersOf(query);
  const params = JSON.stringify(filters);
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities/{community_id}/members", {
        params: {
          path: { community_id: communityId },
          query: { per: 50, ...(JSON.parse(params) as object), ...(cursor !== undefined && { cursor }) },
        },
        ...(signal && { signal }),
      }),
    [communityId, params],
  );
  const show = (changed: Filters): void =>
    goTo(linkTo(["communities", communityId, "members"], { ...filters, ...changed }), { replace: true });
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const shown = list.data?.data.length ?? 0;
  const total = list.data?.total;
  const hasMore = Boolean(list.data?.next_cursor);
  const count = total ?? shown;

  return (
    <Page title="Members" actions={<Export communityId={communityId} filters={{ ...filters }} />}>
      <FilterBar communityId={communityId} filters={filters} onChange={show} />
      <p class="result-count" role="status">
        {list.data && list.isLoading && "Searching…"}
        {list.data && !list.isLoading && `${hasMore && total === null ? "More than " : ""}${countOf(count, "member")}`}
      </p>
      <div aria-busy={list.isLoading}>
        <Loaded what="the members" of={list} lines={8}>
          {({ data, next_cursor }) => (
            <>
              {data.length > 0 && <Table communityId={communityId} members={data} />}
              {data.length === 0 && !hasMore && (
                <Empty title={isFiltered ? "Nobody matches" : "There are no members yet"}>
                  {isFiltered ? (
                    <Button onClick={() => goTo(linkTo(["communities", communityId, "members"]))}>
                      Show all members
                    </Button>
                  ) : (
                    <p>People become members when they pay for a tier on Stripe’s checkout page.</p>
                  )}
                </Empty>
              )}
              {list.moreError !== undefined && (
                <Notice tone="danger" role="alert" title={problemText(list.moreError)} />
              )}
              {next_cursor !== null && (
                <p class="more">
                  <Button isRunning={list.isLoadingMore} onClick={() => void list.loadMore()}>
                    Show more members
                  </Button>
                </p>
              )}
            </>
          )}
        </Loaded>
      </div>
    </Page>
  );
}

type BarProps = {
  readonly communityId: number;
  readonly filters: Filters;
  readonly onChange: (changed: Filters) => void;
};

function FilterBar({ communityId, filters, onChange }: BarProps) {
  const odis = useOdis();
  const [text, setText] = useState(filters.query ?? "");
  const { data: tiers } = useLoad(
    (signal) =>
      odis.get("/odis/v1/communities/{community_id}/tiers", {
        params: { path: { community_id: communityId }, query: { status: "all", per: 100 } },
        signal,
      }),
    [communityId],
  );
  useEffect(() => setText(filters.query ?? ""), [filters.query]);
  useEffect(() => {
    const wanted = text.trim() || undefined;
    if (wanted === filters.query) return;
    const timer = setTimeout(() => onChange({ query: wanted }), 250);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <search class="filters">
      <label class="search">
        <span>Search</span>
        <input
          type="search"
          placeholder="Name or email"
          maxLength={64}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      <Choice
        label="Status"
        value={filters.status}
        choices={Object.entries(statusTexts)}
        onChange={(status) => onChange({ status })}
      />
      <Choice
        label="Tier"
        value={filters.tier_id}
        choices={(tiers?.data ?? []).map(({ id, name }) => [String(id), name])}
        onChange={(tier_id) => onChange({ tier_id })}
      />
      <Choice
        label="Block"
        value={filters.is_blocked}
        choices={[
          ["true", "Blocked"],
          ["false", "Not blocked"],
        ]}
        onChange={(is_blocked) => onChange({ is_blocked })}
      />
    </search>
  );
}

type ChoiceProps = {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string | undefined) => void;
};

function Choice({ label, value = "", choices, onChange }: ChoiceProps) {
  return (
    <label>
      <span>{label}</span>
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}>
        <option value="">All</option>
        {choices.map(([choice, text]) => (
          <option key={choice} value={choice}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

function Table({ communityId, members }: { readonly communityId: number; readonly members: readonly Member[] }) {
  return (
    <div class="table-frame">
      <table>
        <caption class="hidden">Members</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Status</th>
            <th scope="col" class="wide">
              Tier
            </th>
            <th scope="col" class="wide number">
              Paid in total
            </th>
            <th scope="col" class="wide">
              Joined
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => {
            const { text, tone } = badgeOf(member);
            return (
              <tr key={member.id}>
                <th scope="row">
                  <a class="row-link" href={linkTo(["communities", communityId, "members", member.id])}>
                    {nameOf(member.user)}
                  </a>
                  <span class="muted">{member.user.email}</span>
                  <span class="muted narrow">{member.membership_tier.name}</span>
                </th>
                <td>
                  <Badge tone={tone}>{text}</Badge>
                </td>
                <td class="wide">{member.membership_tier.name || "Deleted tier"}</td>
                <td class="wide number">{moneyOf(member.lifetime_spend_cents)}</td>
                <td class="wide">{shortDateOf(member.created_at)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
