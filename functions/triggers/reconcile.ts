import type { Context } from "aws-lambda";
import type { Step } from "#lib/billing/reconcile.ts";
import { billing, type OpenBilling } from "#lib/billing/stripe.ts";
import { logged, measure } from "#lib/log.ts";
import { connectOutside, type Outside } from "#lib/person/outside.ts";
import { runScheduleAlone } from "#lib/person/schedule.ts";
import { machine } from "#lib/runtime.ts";
import { readStripeSecret, StripeNotSetUp } from "#lib/secrets.ts";
import { connect, type Writer } from "#lib/store/table.ts";

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
    report = await unlessNotSetUp(({ secret_key }) =>
      finishWork(context, {
        table: open(),
        billing,
        outside,
        now: machine.now(),
        livemode: secret_key.includes("_live_"),
        onStep: countMissed,
      }),
    );
    return {};
  });
  return report;
}

type Secret = Awaited<ReturnType<typeof readStripeSecret>>;

async function unlessNotSetUp(run: (secret: Secret) => Promise<Report>): Promise<Report> {
  const secret = await readStripeSecret().catch((error: unknown) => {
    if (error instanceof StripeNotSetUp) return undefined;
    throw error;
  });
  return secret && run(secret);
}

type Work = {
  readonly table: Writer;
  readonly billing: OpenBilling;
  readonly outside: Outside;
  readonly now: Date;
  readonly livemode: boolean;
  readonly onStep: (step: Step) => void;
};

/**
 * One run of the schedule, which ends before the function's time limit.
 *
 * @returns undefined if another run is in progress
 */
export async function finishWork(
  context: Pick<Context, "getRemainingTimeInMillis">,
  { billing: openBilling, livemode, onStep, ...at }: Work,
): Promise<Report> {
  const left = () => context.getRemainingTimeInMillis() - 5000;
  const report = await runScheduleAlone({ ...at, billing: openBilling(left) }, { livemode, left, onStep });
  if (!report) return undefined;
  measure("finished", report.done);
  measure("unfinished", report.unfinished);
  measure("set_aside", report.set_aside);
  return report;
}

function countMissed({ source, name }: Step): void {
  if (source === "events" && name !== "all") measure("missed_events");
}
