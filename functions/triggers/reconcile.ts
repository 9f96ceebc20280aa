import type { Context } from "aws-lambda";
import { reconcile, workToDo } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

/** On a schedule: finishes what crashes and lost events have left. What there is no time for is left to the next run. */
export async function handler(
  _event: unknown,
  context: Context,
): Promise<{ done: number; failed: number; left: number }> {
  const left = () => context.getRemainingTimeInMillis() - 5000;
  const world = { table: open(), billing: billing(left), now: new Date() };
  const { secret_key } = await readStripeSecret();
  const work = await workToDo(world, secret_key.includes("_live_"));
  const report = { done: 0, failed: 0, left: work.length };
  for await (const { failed } of reconcile(work)) {
    report.left--;
    if (failed) report.failed++;
    else report.done++;
    if (left() < 20_000) break;
  }
  console.log(JSON.stringify({ level: "info", message: "reconciled", ...report }));
  return report;
}
