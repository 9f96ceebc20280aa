import { expect, it } from "vitest";
import { beginTurn, endTurn, syncTurnsOf } from "#lib/store/sync-turns.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();

it.each([true, false])("a synchronization covers events only if it has succeeded: %s", async (hasSucceeded) => {
  const customer = `cus_${hasSucceeded}`;
  const first = await beginTurn(test.table, customer, await syncTurnsOf(test.table, customer));
  if (!first) throw new Error("The turn has not begun");
  await endTurn(test.table, first, { hasSucceeded: true });
  const before = await syncTurnsOf(test.table, customer);
  expect(before).toEqual({ begun: 1, running_until: 0, succeeded: 1, asked_at: first.asked_at });

  const later = () => new Date(first.asked_at + 60_000);
  const table = { ...test.table, runtime: { ...test.table.runtime, now: later } };
  const second = await beginTurn(table, customer, before);
  if (!second) throw new Error("The turn has not begun");
  await endTurn(table, second, { hasSucceeded });
  const success = hasSucceeded ? { succeeded: 2, asked_at: first.asked_at + 60_000 } : {};
  expect(await syncTurnsOf(table, customer)).toEqual({ ...before, begun: 2, ...success });
});
