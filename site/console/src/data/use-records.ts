import { useState } from "preact/hooks";
import { announce } from "../parts/announce.tsx";
import type { Load } from "../parts/states.tsx";
import type { Opened, Values } from "../parts/values.ts";
import { isSignedOut, useOdis, useSession } from "../session.tsx";
import type { Benefit, Odis, Tier } from "./odis.ts";
import { movedPositions, type Placed } from "./order.ts";
import { problemText } from "./problem-text.ts";
import { useLoad } from "./use-load.ts";

/** A record with its version. */
export type Versioned<T> = { readonly record: T; readonly etag: string };

/** A record and its version from a response of the API. */
export const versionOf = <T>({ data, headers }: { readonly data: T; readonly headers: Headers }): Versioned<T> => ({
  record: data,
  etag: headers.get("etag") ?? "",
});

/** Reads a record and returns the values with which a form opens. */
export const openedBy =
  <T>(read: () => Promise<Versioned<T>>, toValues: (record: T) => Values = () => ({})) =>
  async (): Promise<Opened> => {
    const { record, etag } = await read();
    return { values: toValues(record), etag };
  };

export const readTier = async (odis: Odis, id: number): Promise<Versioned<Tier>> =>
  versionOf(await odis.request("get", "/odis/v1/tiers/{id}", { params: { path: { id } } }));

export const readBenefit = async (odis: Odis, id: number): Promise<Versioned<Benefit>> =>
  versionOf(await odis.request("get", "/odis/v1/benefits/{id}", { params: { path: { id } } }));

type NumberedPage<T> = { readonly data: readonly T[]; readonly has_more: boolean };

/** The records of all pages of a list. */
async function allPages<T>(read: (page: number) => Promise<NumberedPage<T>>): Promise<readonly T[]> {
  const all: T[] = [];
  for (let page = 1; ; page++) {
    const { data, has_more } = await read(page);
    all.push(...data);
    if (!has_more) return all;
  }
}

/** The tiers of a community, including archived ones. */
export function useTiers(communityId: number): Load<readonly Tier[]> {
  const odis = useOdis();
  const path = { community_id: communityId };
  return useLoad(
    (signal) =>
      allPages((page) =>
        odis.get("/odis/v1/communities/{community_id}/tiers", {
          params: { path, query: { status: "all", per: 100, page } },
          signal,
        }),
      ),
    [communityId],
  );
}

/** The benefits of a community, including archived ones. */
export function useBenefits(communityId: number): Load<readonly Benefit[]> {
  const odis = useOdis();
  const path = { community_id: communityId };
  return useLoad(
    (signal) =>
      allPages((page) =>
        odis.get("/odis/v1/communities/{community_id}/benefits", {
          params: { path, query: { status: "all", per: 100, page } },
          signal,
        }),
      ),
    [communityId],
  );
}

type Ordered = Placed & { readonly name: string; readonly status: string; readonly updated_at: string };

type Access<T> = {
  readonly read: (odis: Odis, id: number) => Promise<Versioned<T>>;
  readonly place: (odis: Odis, id: number, position: number, etag: string) => Promise<unknown>;
};

export type Moves<T> = {
  readonly isRunning: boolean;
  readonly problem: string | undefined;
  /** Moves an active record one place up or down. */
  readonly move: (record: T, by: -1 | 1) => Promise<void>;
};

/** Moves the active records of a list. Reloads the list afterwards, even after a failure. */
export function useMoves<T extends Ordered>(
  list: Pick<Load<readonly T[]>, "data" | "reload">,
  { read, place }: Access<T>,
): Moves<T> {
  const odis = useOdis();
  const { end } = useSession();
  const [isRunning, setIsRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const move = async (record: T, by: -1 | 1): Promise<void> => {
    const active = list.data?.filter(({ status }) => status === "active") ?? [];
    setIsRunning(true);
    setProblem(undefined);
    try {
      const placements: (() => Promise<unknown>)[] = [];
      for (const [one, position] of movedPositions(active, record, by)) {
        const etag = await etagOf(() => read(odis, one.id), one);
        placements.push(() => place(odis, one.id, position, etag));
      }
      for (const write of placements) await write();
      announce(`${record.name} was moved ${by < 0 ? "up" : "down"}.`);
    } catch (failure) {
      if (isSignedOut(failure)) void end({ hasEnded: true });
      setProblem(problemText(failure));
    } finally {
      setIsRunning(false);
      list.reload();
    }
  };
  return { isRunning, problem, move };
}

/**
 * The version of a record that the person saw in a list, for `If-Match`. It is read for all records before the first write.
 *
 * @throws Error if somebody has changed the record since
 */
async function etagOf<T extends Ordered>(read: () => Promise<Versioned<T>>, { updated_at }: T): Promise<string> {
  const { record, etag } = await read();
  if (record.updated_at !== updated_at)
    throw new Error("This was changed in the meantime. Nothing was moved. Check the list and try again.");
  return etag;
}
