import type { Context } from "aws-lambda";
import type { Step } from "#lib/billing/reconcile.ts";
import { billing } from "#lib/billing/stripe.ts";
import { logged, measure } from "#lib/log.ts";
import { connectOutside } from "#lib/person/outside.ts";
import { runScheduleAlone } from "#lib/person/schedule.ts";
import { machine } from "#lib/runtime.ts";
import { readStripeSecret, StripeNotSetUp } from "#lib/secrets.ts";
import { connect } from "#lib/store/table.ts";

const open = connect();
const outside = connectOutside();

type Report = Awaited<ReturnType<typeof runScheduleAlone>>;

/**
 * On a schedule: completes work that crashes and lost events have left unfinished, including erasures. If the time runs out,
 * the next run resumes where this one stopped.
 *
 * @returns undefined if Stripe is not set up yet, or another run is in progress
 */
export async function handler(_event: unknown, context: Context): Promise<Report> {
  let report: Report;
  await logged({ request_id: context.awsRequestId, route: "reconcile" }, machine.now, async () => {
    report = await finish(() => context.getRemainingTimeInMillis() - 5000);
    return {};
  });
  return report;
}

async function finish(left: () => number): Promise<Report> {
  const secret = await readStripeSecret().catch((error: unknown) => {
    if (error instanceof StripeNotSetUp) return undefined;
    throw error;
  });
  if (!secret) return undefined;
  const erasing = { table: open(), billing: billing(left), now: machine.now(), outside };
  const report = await runScheduleAlone(erasing, { livemode: secret.secret_key.includes("_live_"), left, onStep });
  if (!report) return undefined;
  measure("finished", report.done);
  measure("unfinished", report.unfinished);
  measure("set_aside", report.set_aside);
  return report;
}

function onStep({ source, name }: Step): void {
  if (source === "events" && name !== "all") measure("missed_events");
}
