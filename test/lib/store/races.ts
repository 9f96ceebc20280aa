import { expect, it } from "vitest";
import { machine } from "#lib/runtime.ts";
import type { Item } from "#lib/store/expression.ts";
import type { Key } from "#lib/store/keys.ts";
import { everyItem } from "#lib/store/scan.ts";
import type { Writer } from "#lib/store/table.ts";
import { write } from "#lib/store/write.ts";
import { beforeWrite } from "../../support/before-write.ts";
import type { startTable } from "../../support/direct.ts";

/** Work, and what another writer does right before the first write of the work. */
export type Race = { readonly work: () => Promise<unknown>; readonly meanwhile: () => Promise<unknown> };

/** Work that another writer does meanwhile. */
export const twice = (work: Race["work"]): Race => ({ work, meanwhile: work });

/** Returns a function that makes a race of work on a record and a change of an item's attributes. */
export const whileSetIn =
  (test: Table) =>
  (work: Race["work"], key: Key, set: Item): Race => ({
    work,
    meanwhile: () => write(test.table, [{ update: key, set, when: "exists" }]),
  });

/** A table whose random numbers are all the same, so that ids of the same millisecond are, too. */
export const repeating = ({ table }: Table): Writer => ({ ...table, runtime: { ...machine, random: () => 0.5 } });

/** What the work throws. Null if it ends as if somebody else had done it. */
type Refusal = { readonly name?: string; readonly code?: string } | null;

const conflict = { name: "Conflict" };

/** A race whose work has no effect. Without a refusal, it throws a `Conflict`. */
export type LostRace = readonly [title: string, race: () => Promise<Race>, refusal?: Refusal];

type Table = Pick<ReturnType<typeof startTable>, "client" | "table">;

/** Runs a race. Returns what the work has thrown, and all items before and after it. */
export async function run({ client, table }: Table, { work, meanwhile }: Race) {
  let before: Item[] = [];
  const racing = beforeWrite(
    client,
    async () => {
      await meanwhile();
      before = await itemsOf(table);
    },
    work,
  );
  const error = await racing.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return { error, before, after: await itemsOf(table) };
}

async function itemsOf(table: Writer): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of everyItem(table)) items.push(item);
  return items;
}

/** Declares a test for each race. */
export const itLoses = (test: Table, races: readonly LostRace[]): void =>
  it.each(races.map(([title, ...race]) => [title, race] as const))(
    "%s has no effect",
    async (_, [race, refusal = conflict]) => {
      const { error, before, after } = await run(test, await race());
      expect(error).toEqual(refusal && expect.objectContaining(refusal));
      expect(after).toEqual(before);
    },
  );
