import { useState } from "preact/hooks";
import { announce } from "../parts/announce.tsx";
import { isSignedOut, useOdis, useSession } from "../session.tsx";
import type { Benefit, Odis, Tier } from "./odis.ts";
import { problemText } from "./problem-text.ts";
import type { Load } from "./use-load.ts";

/** A record with its version. */
export type Versioned<T> = { readonly record: T; readonly etag: string };
type Listed = { readonly id: number; readonly updated_at: string };

const versionOf = <T>({ data, headers }: { readonly data: T; readonly headers: Headers }): Versioned<T> => ({
  record: data,
  etag: headers.get("etag") ?? "",
});

export const readTier = async (odis: Odis, id: number): Promise<Versioned<Tier>> =>
  versionOf(await odis.request("get", "/odis/v1/tiers/{id}", { params: { path: { id } } }));

export const readBenefit = async (odis: Odis, id: number): Promise<Versioned<Benefit>> =>
  versionOf(await odis.request("get", "/odis/v1/benefits/{id}", { params: { path: { id } } }));

/** Somebody has changed a record since the list was loaded. */
class ChangedSince extends Error {}

/**
 * The version of a record that the person saw in a list, for `If-Match`.
 *
 * @throws Error if somebody has changed the record since
 */
export async function etagOf<T extends Listed>(
  read: (odis: Odis, id: number) => Promise<Versioned<T>>,
  odis: Odis,
  { id, updated_at }: Listed,
): Promise<string> {
  const { record, etag } = await read(odis, id);
  if (record.updated_at !== updated_at)
    throw new ChangedSince("Somebody has just changed this. Nothing was saved: look at the list again and repeat.");
  return etag;
}

/** Buttons that change a record of a list at once. The list is loaded again afterwards, also after a failure. */
export function useListAction(list: Pick<Load<unknown>, "reload">) {
  const odis = useOdis();
  const { end } = useSession();
  const [running, setRunning] = useState<string>();
  const [error, setError] = useState<unknown>();
  const run = async (name: string, done: string, act: (odis: Odis) => Promise<void>): Promise<void> => {
    setRunning(name);
    setError(undefined);
    try {
      await act(odis);
      announce(done);
    } catch (failure) {
      if (isSignedOut(failure)) void end({ hasEnded: true });
      setError(failure);
    } finally {
      setRunning(undefined);
      list.reload();
    }
  };
  return { run, running, problem: error === undefined ? undefined : problemText(error) };
}
