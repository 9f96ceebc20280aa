import { expect } from "vitest";
import { ledgerOf } from "#lib/store/operations.ts";
import type { Reader } from "#lib/store/table.ts";

/** Fails where an operation of a member is still to be finished, by their ledger or by the list that the schedule reads. */
export async function expectNothingOpen(table: Reader, { id }: { readonly id: number }): Promise<void> {
  const { operations } = await ledgerOf(table, id);
  expect(operations.filter(({ state }) => state === "open")).toEqual([]);
  const { items } = await table.query({ pk: "OPERATIONS" });
  expect(items.filter(({ member_id }) => member_id === id)).toEqual([]);
}
