import { subOf } from "../../../tools/local/users.ts";
import type { Attempt } from "../world/answers.ts";
import type { World } from "../world/world.ts";

/** A token bucket: requests at once, and the time until one more is allowed, in milliseconds. */
type Bucket = { readonly burst: number; readonly everyMs: number };

/** The buckets and their routes (`docs/api.md`, section 1, "Rate limits"). */
const buckets = {
  money: { burst: 20, everyMs: 3000 },
  processor: { burst: 60, everyMs: 1000 },
  deliveries: { burst: 10, everyMs: 3000 },
  none: { burst: Number.POSITIVE_INFINITY, everyMs: 1 },
} as const satisfies Record<string, Bucket>;
type Name = keyof typeof buckets;

const routes: readonly (readonly [RegExp, Name])[] = [
  [/\/((un)?cancel|change)_subscription$/, "money"],
  [/\/scheduled_change$/, "money"],
  [/\/(issue_refund|refund_charge)$/, "money"],
  [/\/(un)?block$/, "money"],
  [/\/(checkout|billing_portal)_sessions$/, "money"],
  [/\/(payment_history|subscription_details)$/, "processor"],
  [/^POST .*\/(tiers|import)$/, "processor"],
  [/^POST .*\/(ping|resend)$/, "deliveries"],
];

type Body = { readonly member?: object; readonly tier?: object } | undefined;

/** The bucket that a request is counted against. */
function bucketOf({ name, call: { body } }: Attempt): Name {
  const { member = {}, tier = {} } = (body as Body) ?? {};
  const isEdit = name.startsWith("PATCH ");
  const isAtStripe = ["name", "monthly_price_dollars", "yearly_price_dollars"].some((field) => field in tier);
  if (isEdit && (isAtStripe || "shipping_address" in member)) return "processor";
  return routes.find(([pattern]) => pattern.test(name))?.[1] ?? "none";
}

/** Maximum effect of clocks that differ, in milliseconds. A request is counted up to half a second after its start. */
const slackMs = 11_000;

/**
 * The requests of a caller to the routes of a bucket never exceed it, and are not refused before. If the table fails,
 * requests cannot be counted and are allowed.
 */
export function assertRateLimits(world: World): void {
  if (!world.faults.isWeak || world.holds.probability > 0) return;
  const byBucket = Map.groupBy(world.answers.attempts, bucketOf);
  for (const [name, requests] of byBucket)
    for (const [caller, those] of Map.groupBy(requests, callerOf)) {
      const limited = those.filter(({ outcome }) => outcome.isLimited || name === "deliveries");
      assertBucket(limited, buckets[name], (text) => world.violate("rate limits", `${name} of ${caller}: ${text}`));
    }
}

const callerOf = ({ call: { as } }: Attempt): string | undefined =>
  JSON.stringify(as && (as.token?.sub ?? subOf(as.id)));

function assertBucket(requests: readonly Attempt[], { burst, everyMs }: Bucket, wrong: (text: string) => void): void {
  const inOrder = requests.toSorted((a, b) => a.outcome.from - b.outcome.from);
  const mayCount = inOrder.filter((attempt) => !isRefused(attempt)).map(({ outcome }) => outcome.from);
  let counted = 0;
  for (const attempt of inOrder) {
    const { name, outcome } = attempt;
    if (isRefused(attempt)) {
      const before = mayCount.filter((from) => from <= outcome.to);
      const fullAt = before.reduce((full, from) => Math.max(full, from) + everyMs, 0);
      if (fullAt - outcome.to < (burst - 1) * everyMs - slackMs) wrong(`${name} was refused at ${outcome.from}`);
    } else if (!mayBeUncounted(attempt)) {
      counted = Math.max(counted, outcome.from) + everyMs;
      if (counted - outcome.from > burst * everyMs + slackMs) wrong(`${name} was allowed at ${outcome.from}`);
    }
  }
}

/** Routes that also refuse a request after it was counted: while others of the community or destination are in progress. */
const refusesOthers = /\/event_destinations\/\{id\}\/(ping|resend)$/;

const isRefused = ({ name, outcome: { status } }: Attempt): boolean => status === 429 && !refusesOthers.test(name);

/** Whether a request may have been refused before it was counted, or may have failed before that. */
const mayBeUncounted = ({ outcome: { status } }: Attempt): boolean =>
  [401, 403, 404, 429].includes(status) || status >= 500;
