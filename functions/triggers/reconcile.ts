import type { Context } from "aws-lambda";
import { reconcile, workToDo } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { logged, measure } from "#lib/log.ts";
import { machine } from "#lib/runtime.ts";
import { readStripeSecret } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();

type Report = { done: number; failed: number; left: number };

/** On a schedule: finishes what crashes and lost events have left. What there is no time for is left to the next run. */
export async function handler(_event: unknown, context: Context): Promise<Report> {
  const report = { done: 0, failed: 0, left: 0 };
  await logged({ request_id: context.awsRequestId, route: "reconcile" }, machine.now, async () => {
    const left = () => context.getRemainingTimeInMillis() - 5000;
    const world = { table: open(), billing: billing(left), now: machine.now() };
    const { secret_key } = await readStripeSecret();
    const work = await workToDo(world, secret_key.includes("_live_"));
    report.left = work.length;
    for await (const { failed } of reconcile(work)) {
      report.left--;
      if (failed) report.failed++;
      else report.done++;
      if (left() < 20_000) break;
    }
    measure("finished", report.done);
    measure("unfinished", report.failed + report.left);
    return {};
  });
  return report;
}
