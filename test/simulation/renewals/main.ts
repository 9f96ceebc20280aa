import { command, integer, run } from "../../../tools/command.ts";
import { environment } from "../workers.ts";
import { captureLog } from "../world/log.ts";
import type { DayResult } from "./day.ts";
import { hour } from "./objects.ts";
import { type RateLimits, rateLimits, secretOf } from "./stripe.ts";

type Options = {
  readonly renewals: number;
  readonly together: number;
  readonly sandbox: boolean;
  readonly pace: boolean;
};

const program = command(
  "npx node --max-old-space-size=6000 test/simulation/renewals/main.ts",
  "Simulates a day on which many members renew, on a virtual clock, with a rate-limited Stripe.",
)
  .option("--renewals <count>", "Number of renewals during the day", integer(1), 100_000)
  .option("--together <count>", "Number of these renewals that fall within one minute", integer(0), 10_000)
  .option("--sandbox", "Use a test key and the rate limits of a sandbox", false)
  .option("--no-pace", "Do not limit how often events call Stripe")
  .action(async ({ pace, sandbox, ...options }: Options) => {
    Object.assign(process.env, environment, {
      THROTTLE: pace ? "on" : "off",
      STRIPE_SECRET: secretOf({ livemode: !sandbox }),
    });
    captureLog();
    const { renewalDay } = await import("./day.ts");
    const limits = rateLimits[sandbox ? "sandbox" : "live"];
    const result = await renewalDay({ ...options, livemode: !sandbox, limits, checkoutEvery: 5000 });
    console.log(textOf(options, result, limits));
    const isBusy = result.stripe.refused > 0 || result.checkouts.some(({ status }) => status >= 300);
    if (result.wrong > 0 || (pace && isBusy)) process.exitCode = 1;
  });

function textOf(
  { renewals, together }: Pick<Options, "renewals" | "together">,
  result: DayResult,
  limits: RateLimits,
): string {
  const { stripe, checkouts, events, deliveries, putOff, failedDeliveries, wrong } = result;
  const requests = [...stripe.requests.values()].reduce((sum, count) => sum + count, 0);
  const milliseconds = checkouts.map((one) => one.milliseconds).toSorted((a, b) => a - b);
  const failed = checkouts.filter(({ status }) => status >= 300).length;
  const late = [...stripe.renewals.values()]
    .map(({ renewsAt, paymentReadAt = Number.POSITIVE_INFINITY }) => paymentReadAt - renewsAt - hour)
    .toSorted((a, b) => a - b);
  const at = (all: readonly number[], part: number) => all[Math.floor((all.length - 1) * part)] ?? 0;
  return [
    `${renewals} renewals in a day, ${together} of them in one minute; Stripe takes ${limits.total} requests a second, ${limits.endpoint} of an endpoint`,
    `requests: ${requests}, at most ${stripe.peak.most} in a second, ${stripe.refused} refused by Stripe`,
    ...[...stripe.peaks].map(([endpoint, { most }]) => `  ${endpoint}: at most ${most} in a second`),
    `events: ${events} in ${deliveries} deliveries, ${putOff} put off by Odis, ${failedDeliveries} failed`,
    `payments were read after ${at(late, 0.5).toFixed(1)} s (median), ${at(late, 0.99).toFixed(1)} s (99 %), ${at(late, 1).toFixed(0)} s (all)`,
    `checkouts: ${checkouts.length}, ${failed} failed, 99 % within ${at(milliseconds, 0.99).toFixed(0)} ms`,
    `members who are not as at Stripe in the end: ${wrong}`,
  ].join("\n");
}

await run(program);
