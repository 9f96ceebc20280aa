import type { Context } from "aws-lambda";
import { reconcile } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { logged, measure } from "#lib/log.ts";
import { connectOutside } from "#lib/person/outside.ts";
import { finishErasures } from "#lib/person/schedule.ts";
import { machine } from "#lib/runtime.ts";
import { readStripeSecret, StripeNotSetUp } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();
const outside = connectOutside();

type Report = Awaited<ReturnType<typeof reconcile>>;

/**
 * On a schedule: finishes what crashes and lost events have left, erasures among it. What there is no time for is left to the next run.
 *
 * @returns nothing where Stripe is not set up yet
 */
export async function handler(_event: unknown, context: Context): Promise<Report | undefined> {
  let report: Report | undefined;
  await logged({ request_id: context.awsRequestId, route: "reconcile" }, machine.now, async () => {
    const left = () => context.getRemainingTimeInMillis() - 5000;
    const billingContext = { table: open(), billing: billing(left), now: machine.now() };
    const secret = await readStripeSecret().catch((error: unknown) => {
      if (error instanceof StripeNotSetUp) return undefined;
      throw error;
    });
    if (!secret) return {};
    // What has begun when the time is over may take as long as two calls to Stripe.
    const reserve = Math.min(20_000, left() / 2);
    const options = { livemode: secret.secret_key.includes("_live_"), left: () => left() - reserve };
    report = await reconcile(billingContext, options);
    const erasures = await finishErasures({ ...billingContext, outside }, { isOver: () => options.left() <= 0 });
    report = {
      ...report,
      done: report.done + erasures.done,
      failed: report.failed + erasures.failed,
      unfinished: report.unfinished + erasures.failed,
    };
    measure("finished", report.done);
    measure("unfinished", report.unfinished);
    measure("set_aside", report.set_aside);
    return {};
  });
  return report;
}
