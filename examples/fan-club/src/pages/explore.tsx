import type { Listing } from "@odis/client";
import { useState } from "preact/hooks";
import { membersOf } from "../format.ts";
import { Art } from "../parts/art.tsx";
import { Empty, Failure, Skeleton } from "../parts/notice.tsx";
import { Page } from "../parts/page.tsx";
import { useSession } from "../session.tsx";
import { useRequest } from "../use-request.ts";

const filters = { all: "All", trending: "Trending", my_communities: "Mine" } as const;
type Filter = keyof typeof filters;

export function Explore() {
  const { odis, user } = useSession();
  const [query, setQuery] = useState("");
  const [filter, setFilter] = useState<Filter>("all");
  const [pages, setPages] = useState(1);
  const isKnown = user !== undefined;
  const { data, error, isLoading, reload } = useRequest(
    async (signal) => {
      if (!isKnown) return undefined;
      const numbers = Array.from({ length: pages }, (_, n) => n + 1);
      const shown = await Promise.all(
        numbers.map((page) =>
          odis.get("/api/v1/communities/explore", { params: { query: { query, filter, page } }, signal }),
        ),
      );
      const last = shown.at(-1);
      return {
        listings: shown.flatMap((page) => page.data),
        total: last?.total ?? 0,
        hasMore: last?.has_more ?? false,
      };
    },
    [odis, query, filter, pages, isKnown, user?.email],
  );
  /** A new search begins at the first page. */
  const search = (change: () => void): void => {
    change();
    setPages(1);
  };

  return (
    <Page
      title="Meet the people behind the bottle"
      before={<p class="eyebrow">Explore communities</p>}
      lead="Distillers, blenders and growers share what never reaches a shelf. Join a community and get its benefits."
    >
      <search class="finder">
        <label class="sr-only" for="query">
          Search by name
        </label>
        <input
          id="query"
          type="search"
          placeholder="Search by name"
          maxLength={100}
          autoComplete="off"
          value={query}
          onInput={({ currentTarget }) => search(() => setQuery(currentTarget.value))}
        />
        <fieldset class="tabs">
          <legend class="sr-only">Show</legend>
          {Object.entries(filters)
            .filter(([name]) => name !== "my_communities" || user)
            .map(([name, label]) => (
              <label key={name}>
                <input
                  type="radio"
                  name="filter"
                  checked={filter === name}
                  onChange={() => search(() => setFilter(name as Filter))}
                />
                <span>{label}</span>
              </label>
            ))}
        </fieldset>
      </search>

      {error !== undefined && <Failure title="The communities could not be loaded" error={error} onRetry={reload} />}
      {!data && error === undefined && <Skeleton label="Loading the communities" count={6} />}
      {data && (
        <>
          <p class="count" role="status">
            {data.total === 1 ? "1 community" : `${data.total} communities`}
          </p>
          {data.total === 0 && <Nothing query={query} filter={filter} />}
          <ul class="cards" aria-busy={isLoading}>
            {data.listings.map((listing) => (
              <Card key={listing.id} {...listing} />
            ))}
          </ul>
          {data.hasMore && (
            <button type="button" class="button quiet center" disabled={isLoading} onClick={() => setPages(pages + 1)}>
              Show more
            </button>
          )}
        </>
      )}
    </Page>
  );
}

const Card = ({ name, slug, member_count, avatar_url, is_member, tier_badge }: Listing) => (
  <li>
    <a class="card" href={`/c/${slug}`}>
      <span class="cover">
        {avatar_url === null ? <Art seed={slug} /> : <img src={avatar_url} alt="" loading="lazy" />}
        {is_member && <span class="chip on-art">{tier_badge ?? "Member"}</span>}
      </span>
      <span class="card-text">
        <strong>{name}</strong>
        <span class="muted">{membersOf(member_count)}</span>
      </span>
    </a>
  </li>
);

function Nothing({ query, filter }: { readonly query: string; readonly filter: Filter }) {
  if (query !== "")
    return (
      <Empty title={`Nothing called “${query}”`}>
        <p>Check the spelling, or search for a part of the name.</p>
      </Empty>
    );
  if (filter === "my_communities")
    return (
      <Empty title="You have not joined a community yet">
        <p>Pick one that you like, and choose a tier.</p>
      </Empty>
    );
  return (
    <Empty title="Nothing here yet">
      <p>Come back later.</p>
    </Empty>
  );
}
