import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { reconcile } from "#lib/billing/reconcile.ts";
import type { Billing } from "#lib/billing/stripe.ts";
import { Problem } from "#lib/problem.ts";
import { moveDue } from "#lib/store/due.ts";
import { itemOf } from "#lib/store/members/item.ts";
import { counted } from "../../test/support/counting.ts";
import { aCommunity, memberOf } from "../../test/support/given.ts";
import { heldMb } from "./memory.ts";
import { memberId } from "./populations.ts";
import type { Result } from "./result.ts";
import { type BenchTable, startTable } from "./table.ts";

const size = 100_000;
const million = 1_000_000;

/** Time of one scheduled run for its members, and time that is measured here, in milliseconds. */
const [share, measured] = [70_000, 20_000];

const anchor = new Date("2026-12-01T00:00:00.000Z");

/** A Stripe account without customers, so that only the schedule is measured. */
const nobody: Billing = () =>
  Promise.reject(
    new Problem("payment_processor_refused", { cause: { code: "resource_missing", param: "customer", message: "" } }),
  );

/** Measures a run of the schedule with 100,000 members whose periods end at the same time. */
export async function run(): Promise<Result> {
  const bench = await startTable();
  try {
    await fill(bench);
    const before = await runAt(bench, new Date(anchor.getTime() - 60_000));
    const after = await runAt(bench, new Date(anchor.getTime() + 60_000));
    const again = await runAt(bench, new Date(anchor.getTime() + 120_000));
    return report([
      { run: "before the anchor", ...before },
      { run: "after the anchor", ...after },
      { run: "the next one", ...again },
    ]);
  } finally {
    await bench.stop();
  }
}

async function fill({ client, name, table }: BenchTable): Promise<void> {
  const community = await aCommunity(table, { id: 1, tier: { id: 11 } });
  const current_period_end = anchor.toISOString();
  const starts = Array.from({ length: size / 10 }, (_, n) => n * 10).values();
  const write = async (): Promise<void> => {
    for (const start of starts) {
      const members = Array.from({ length: 10 }, (_, n) =>
        memberOf(community, { id: memberId(start + n), stripe_customer_id: `cus_${start + n}`, current_period_end }),
      );
      const puts = members.flatMap((member) => [
        itemOf(member),
        ...moveDue(undefined, member).flatMap((change) => ("put" in change ? [change.put] : [])),
      ]);
      const RequestItems = { [name]: puts.map((Item) => ({ PutRequest: { Item } })) };
      await client.send(new BatchWriteCommand({ RequestItems }));
    }
  };
  await Promise.all([write(), write(), write(), write()]);
}

async function runAt({ client, table }: BenchTable, now: Date) {
  const count = counted(client);
  const start = heldMb();
  let most = 0;
  let looked = 0;
  const end = performance.now() + measured * 4;
  const began = performance.now();
  await reconcile(
    { table, billing: nobody, now },
    {
      livemode: false,
      left: () => end - performance.now(),
      onStep({ source }) {
        if (source === "members") looked++;
        if (looked % 1000 === 0) most = Math.max(most, heldMb() - start);
      },
    },
  );
  const seconds = (performance.now() - began) / 1000;
  const { units } = count.take();
  return { looked, seconds, "members a second": looked / seconds, "MB held": most, RRU: units };
}

type Row = { readonly run: string } & Awaited<ReturnType<typeof runAt>>;

function report(rows: readonly Row[]): Result {
  const [before, after, next] = rows;
  const held = Math.max(...rows.map((row) => row["MB held"]));
  const aRun = ((after?.["members a second"] ?? 0) * share) / 1000;
  return {
    method:
      `${size.toLocaleString("en")} members whose periods end at the same moment, and a stand-in for Stripe that responds immediately: a run of ` +
      `the schedule before that moment, one after it that is stopped after ${(measured * 2) / 1000} s of its time, and the next one. A million ` +
      `would take ${Math.ceil(million / Math.max(1, aRun)).toLocaleString("en")} runs at this speed if their renewals did not arrive by webhook. Memory use does not depend on the number of members.`,
    rows,
    claims: [
      {
        claim: "A run reads at most 20 RRU if nothing is due",
        measured: String(before?.RRU),
        holds: (before?.RRU ?? 99) <= 20 && before?.looked === 0,
      },
      { claim: "A run holds at most 128 MB of memory", measured: `${held.toFixed(0)} MB`, holds: held <= 128 },
      {
        claim: "The next run processes other members",
        measured: `${next?.looked} more`,
        holds: (next?.looked ?? 0) > 0,
      },
    ],
  };
}
