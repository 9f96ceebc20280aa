import type { Context } from "aws-lambda";
import type { Step } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { logged, measure } from "#lib/log.ts";
import { connectOutside } from "#lib/person/outside.ts";
import { runSchedule } from "#lib/person/schedule.ts";
import { machine } from "#lib/runtime.ts";
import { readStripeSecret, StripeNotSetUp } from "#lib/secrets.ts";
import { withLease } from "#lib/store/lease.ts";
import { connect, type Writer } from "#lib/store/table.ts";

const open = connect();
const outside = connectOutside();

/** As long as the function may take (`infra/constructs/scheduled-function.ts`). */
const lease = { name: "reconcile", longestMs: 5 * 60_000 };

type Report = Awaited<ReturnType<typeof runSchedule>>;

/**
 * On a schedule: finishes what crashes and lost events have left, erasures among it. What there is no time for is left to
 * the next run, which resumes where this one stopped.
 *
 * @returns nothing where Stripe is not set up yet, or another run is under way
 */
export async function handler(_event: unknown, context: Context): Promise<Report | undefined> {
  let report: Report | undefined;
  const table = open();
  await logged({ request_id: context.awsRequestId, route: "reconcile" }, machine.now, async () => {
    await withLease(table, lease, async () => {
      report = await finish(table, () => context.getRemainingTimeInMillis() - 5000);
    });
    return {};
  });
  return report;
}

async function finish(table: Writer, left: () => number): Promise<Report | undefined> {
  const billingContext = { table, billing: billing(left), now: machine.now() };
  const secret = await readStripeSecret().catch((error: unknown) => {
    if (error instanceof StripeNotSetUp) return undefined;
    throw error;
  });
  if (!secret) return undefined;
  // What has begun when the time is over may take as long as two calls to Stripe.
  const reserve = Math.min(20_000, left() / 2);
  const options = { livemode: secret.secret_key.includes("_live_"), left: () => left() - reserve, onStep };
  const report = await runSchedule({ ...billingContext, outside }, options);
  measure("finished", report.done);
  measure("unfinished", report.unfinished);
  measure("set_aside", report.set_aside);
  return report;
}

function onStep({ source, name }: Step): void {
  if (source === "events" && name !== "all") measure("missed_events");
}
