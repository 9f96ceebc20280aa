import { useEffect, useState } from "preact/hooks";
import type { Me } from "../data/odis.ts";
import { useList } from "../data/use-list.ts";
import { Avatar } from "../parts/avatar.tsx";
import { Button } from "../parts/button.tsx";
import { More } from "../parts/more.tsx";
import { Badge, Card, Page } from "../parts/page.tsx";
import { Empty, Loaded, Skeleton } from "../parts/states.tsx";
import { goTo, linkTo } from "../router.ts";
import { useGroup, useOdis } from "../session.tsx";
import { CreateCommunity } from "./create-community.tsx";
import { Invitations, roleTexts } from "./invitations.tsx";

type Listed = {
  readonly id: number;
  readonly name: string;
  readonly slug: string;
  readonly status: string;
  readonly role?: string;
  readonly avatar_url?: string | null;
};

/** The choice of a community. The start page opens the only community of a person, or the brands for an editor. */
export function CommunitiesPage({ me, isStart = false }: { readonly me: Me; readonly isStart?: boolean }) {
  const isAdmin = useGroup("admin");
  const isEditor = useGroup("editor");
  const [isCreating, setIsCreating] = useState(false);
  const own = [...me.owned_communities, ...me.teams.map(({ community }) => community)];
  const [only, ...others] = own;
  useEffect(() => {
    if (!isStart || isAdmin || me.invitations?.length) return;
    if (only && others.length === 0) goTo(linkTo(["communities", only.id]), { replace: true });
    else if (!only && isEditor) goTo(linkTo(["brands"]), { replace: true });
  }, []);
  return (
    <Page
      title="Communities"
      lead={
        <p>
          {isAdmin
            ? "As an admin, you can open every community."
            : "The communities you own, or in whose team you are."}
        </p>
      }
      actions={isAdmin && <Button onClick={() => setIsCreating(true)}>Create a community</Button>}
    >
      <Invitations me={me} />
      {isAdmin ? (
        <All />
      ) : (
        <Card title="Your communities">
          {own.length === 0 && (
            <Empty title="You do not own a community">
              <p>An admin can create one for you, or transfer one to you. An owner can invite you to a team.</p>
            </Empty>
          )}
          <Links of={me.owned_communities} />
          <Links of={me.teams.map(({ community, role }) => ({ ...community, role }))} />
          {(me.owned_communities_has_more || me.teams_has_more) && (
            <p class="muted">
              Only the newest 100 are listed. Open another one by its id, at <code>#/communities/&lt;id&gt;</code>.
            </p>
          )}
        </Card>
      )}
      {isCreating && <CreateCommunity onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

/** Every community, for admins. */
function All() {
  const odis = useOdis();
  const [wanted, setWanted] = useState("");
  const needle = wanted.trim().toLowerCase();
  // A search needs all communities.
  const per = needle === "" ? 1 : Number.POSITIVE_INFINITY;
  const list = useList(
    (cursor, signal) =>
      odis.get("/odis/v1/communities", {
        params: { query: { per: 100, ...(cursor !== undefined && { cursor }) } },
        ...(signal && { signal }),
      }),
    [per],
    { per },
  );
  return (
    <Card title="All communities">
      <Loaded what="the communities" of={list}>
        {({ data }) => {
          const shown = data.filter(({ name, slug }) => `${name} ${slug}`.toLowerCase().includes(needle));
          return (
            <>
              <label class="search">
                <span class="hidden">Find a community by name</span>
                <input
                  type="search"
                  placeholder="Find by name"
                  value={wanted}
                  onInput={({ currentTarget }) => setWanted(currentTarget.value)}
                />
              </label>
              <Links of={shown} />
              {shown.length === 0 && list.isLoading && <Skeleton what="the communities" />}
              {shown.length === 0 && !list.isLoading && list.error === undefined && (
                <Empty title="No community found" />
              )}
              <More of={list} what="more communities" />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function Links({ of }: { readonly of: readonly Listed[] }) {
  return (
    <ul class="links">
      {of.map(({ id, name, slug, status, role, avatar_url }) => (
        <li key={id}>
          <a class="link-row" href={linkTo(["communities", id])}>
            <Avatar of={{ id, name, avatar_url }} />
            <span class="link-text">
              <strong>{name}</strong>
              <span class="muted">{slug}</span>
            </span>
            {role !== undefined && <Badge tone="neutral">{roleTexts[role] ?? role}</Badge>}
            {status === "archived" && <Badge tone="neutral">Archived</Badge>}
          </a>
        </li>
      ))}
    </ul>
  );
}
