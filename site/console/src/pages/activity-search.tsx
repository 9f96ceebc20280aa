import { useState } from "preact/hooks";
import { fold } from "../../../../lib/domain/fold.ts";
import type { CommunityActivity } from "../data/odis.ts";
import { useRights } from "../data/rights.ts";
import { useLoad } from "../data/use-load.ts";
import { nameOf } from "../format.ts";
import { SearchField } from "../parts/search-field.tsx";
import { Failure } from "../parts/states.tsx";
import { linkTo } from "../router.ts";
import { useOdis, useSession } from "../session.tsx";

/** A person or an API key that has done something, or may do so. */
export type Actor = { readonly id: number; readonly name: string; readonly what: string };

type Props = {
  readonly communityId: number;
  /** The entries that are shown, with people who are no longer in the team. */
  readonly entries: readonly CommunityActivity[];
  readonly onActor: (actor: Actor) => void;
};

/** A search for who did something, or for the member to whom it was done. */
export function ActivitySearch({ communityId, entries, onActor }: Props) {
  const odis = useOdis();
  const [text, setText] = useState("");
  const { actors, listed } = useActors(communityId, entries, text !== "");
  const load = useLoad(
    async (signal) => {
      if (text === "") return [];
      const params = { path: { community_id: communityId }, query: { query: text, per: 5 } };
      return (await odis.get("/odis/v1/communities/{community_id}/members", { params, signal })).data;
    },
    [communityId, text],
  );
  const words = fold(text).split(" ");
  const found = actors.filter(({ name }) => words.every((word) => ` ${fold(name)}`.includes(` ${word}`))).slice(0, 5);
  const members = load.data ?? [];
  const isKnown = [load, listed].every(({ isLoading, error }) => !isLoading && error === undefined);
  const isEmpty = found.length + members.length === 0 && isKnown;
  return (
    // Arrow keys work as in a list of suggestions. Tab works too, because the results are links and buttons.
    <div class="finder" role="presentation" onKeyDown={moveWithArrows}>
      <SearchField placeholder="Who did it, or to which member" maxLength={64} value={text} onSearch={setText} />
      {text !== "" && (
        <div class="found-panel">
          <p class="hidden" role="status">
            {load.isLoading ? "Searching…" : `${found.length + members.length} found`}
          </p>
          <ul class="found" aria-label="Found" aria-busy={load.isLoading}>
            {found.map((actor) => (
              <li key={`actor ${actor.id}`}>
                <button
                  type="button"
                  class="link-row"
                  onClick={() => {
                    setText("");
                    onActor(actor);
                  }}
                >
                  <Result name={actor.name} what={actor.what} />
                </button>
              </li>
            ))}
            {members.map(({ id, user }) => (
              <li key={`member ${id}`}>
                <a class="link-row" href={linkTo(["communities", communityId, "members", id], { show: "activity" })}>
                  <Result name={nameOf(user)} what="Member: what was done to them" />
                </a>
              </li>
            ))}
          </ul>
          {load.error !== undefined && !load.isLoading && (
            <Failure what="the members" error={load.error} onRetry={load.reload} />
          )}
          {listed.error !== undefined && !listed.isLoading && (
            <Failure what="the team and the API keys" error={listed.error} onRetry={listed.reload} />
          )}
          {isEmpty && <p class="muted">Nobody is found. The search compares the beginnings of names.</p>}
        </div>
      )}
    </div>
  );
}

function Result({ name, what }: { readonly name: string; readonly what: string }) {
  return (
    <span class="link-text">
      <b>{name}</b>
      <span class="muted">{what}</span>
    </span>
  );
}

/** Everybody who can be the actor of an entry. Only the owner can list the team and the keys, which are `listed`. */
function useActors(communityId: number, entries: readonly CommunityActivity[], isNeeded: boolean) {
  const odis = useOdis();
  const { me } = useSession();
  const mayList = useRights(communityId)("owner");
  const listed = useLoad(
    async (signal): Promise<readonly Actor[]> => {
      if (!isNeeded || !mayList) return [];
      const params = { path: { community_id: communityId }, query: { per: 100 } };
      const [team, keys] = await Promise.all([
        odis.get("/odis/v1/communities/{community_id}/team", { params, signal }),
        odis.get("/odis/v1/communities/{community_id}/api_keys", { params, signal }),
      ]);
      return [
        ...team.data.map(({ user }) => personOf(user.id, nameOf(user))),
        ...keys.data.map(({ id, name }) => keyOf(id, name)),
      ];
    },
    [communityId, isNeeded],
  );
  const seen = entries.flatMap(({ actor: { type, id, name } }) => {
    if (id === null || name === null) return [];
    return [type === "api_key" ? keyOf(id, name) : personOf(id, name)];
  });
  const self = me?.user ? [personOf(me.user.id, nameOf(me.user))] : [];
  const all = [...seen, ...self, ...(listed.data ?? [])];
  return { actors: [...new Map(all.map((actor) => [actor.id, actor])).values()], listed };
}

const personOf = (id: number, name: string): Actor => ({ id, name, what: "Person: what they did" });
const keyOf = (id: number, name: string): Actor => ({ id, name, what: "API key: what it did" });

/** Moves the focus between the field and the results. */
function moveWithArrows(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (by === 0) return;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, .found a, .found button")];
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + by];
  if (!next) return;
  event.preventDefault();
  next.focus();
}
