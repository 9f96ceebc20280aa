import { expect, it } from "vitest";
import type { Operation } from "#lib/domain/operation.ts";
import { keys } from "#lib/store/keys.ts";
import { begin, completeAll, putDone, refuse, reopen } from "#lib/store/operations.ts";
import { write } from "#lib/store/write.ts";
import { startTable } from "../../support/direct.ts";

const test = startTable();
const now = new Date("2026-11-21T12:00:00.000Z");
const in35Days = Date.parse("2026-12-26T12:00:00.000Z") / 1000;

const operation = (id: string): Operation => ({
  id,
  community_id: 1,
  member_id: 7,
  customer_id: "cus_1",
  actor_id: 3,
  request_id: null,
  intent: { kind: "uncancel", subscription_id: `sub_${id}` },
  fingerprint: null,
  state: "open",
  created_at: now.toISOString(),
});
const stored = (id: string) => test.table.get(keys.operation(7, id));

it("an operation is kept for 35 days after its end, and without an end while it is open", async () => {
  const [local, done, refused] = ["local", "done", "refused"].map(operation) as [Operation, Operation, Operation];
  await write(test.table, [putDone(local, now)]);
  for (const one of [done, refused]) await begin(test.table, one);
  expect((await stored("done"))?.expires_at).toBeUndefined();
  await write(test.table, completeAll([done], now));
  await refuse(test.table, refused, now);
  for (const [id, state] of [
    ["local", "done"],
    ["done", "done"],
    ["refused", "refused"],
  ] as const)
    expect(await stored(id)).toMatchObject({ state, expires_at: in35Days });
  await reopen(test.table, { ...refused, state: "refused", attempt: 2 }, now);
  expect(await stored("refused")).toMatchObject({ state: "open" });
  expect((await stored("refused"))?.expires_at).toBeUndefined();
});
