import * as v from "valibot";
import { grantsAccess } from "./access.ts";
import { inLastDays } from "./figure-days.ts";
import { type Cell, cellsOf, countOf, type Figures, memberCount } from "./figures.ts";
import { MemberStatus } from "./member.ts";
import { Total } from "./page.ts";
import { Cents, Id } from "./scalars.ts";
import type { Tier } from "./tier.ts";

const ByStatus = v.object({
  active: Total,
  trialing: Total,
  past_due: Total,
  unpaid: Total,
  canceled: Total,
  incomplete: Total,
});

/** How a community does (`api.md`, section 7). It may lag by up to 60 seconds. */
export const Stats = v.object({
  /** Members of every status. */
  total: Total,
  /** Those that are let in. */
  member_count: Total,
  blocked: Total,
  by_status: ByStatus,
  /** Every tier, in order; `total` and `member_count` as above. */
  by_tier: v.array(v.object({ id: Id, name: v.string(), total: Total, member_count: Total })),
  /** What members who pay bring in a month, at their tier's present price. */
  monthly_recurring_revenue_cents: Cents,
  /** People who were let in for the first time, by their first day; today is one of the thirty. */
  joined_in_30_days: Total,
  /** Subscriptions that ended and were not taken up again. */
  left_in_30_days: Total,
  refunded_in_30_days_cents: Cents,
});
type Stats = v.InferOutput<typeof Stats>;

export function statsOf(figures: Figures, tiers: readonly Tier[], now: Date): Stats {
  const cells = cellsOf(figures);
  const byStatus = MemberStatus.options.map((status) => [status, countOf(cells, { status })]);
  return {
    total: countOf(cells),
    member_count: memberCount(cells),
    blocked: countOf(cells, { is_blocked: true }),
    by_status: v.parse(ByStatus, Object.fromEntries(byStatus)),
    by_tier: tiers.map(({ id, name }) => {
      const ofTier = cells.filter(({ tier_id }) => tier_id === id);
      return { id, name, total: countOf(ofTier), member_count: memberCount(ofTier) };
    }),
    monthly_recurring_revenue_cents: monthlyCents(cells, tiers),
    joined_in_30_days: inLastDays(figures.joined, now),
    left_in_30_days: inLastDays(figures.left, now),
    refunded_in_30_days_cents: inLastDays(figures.refunded_cents, now),
  };
}

/** Those in trial are let in, and do not pay yet; a block does not end the subscription. */
const pays = (status: MemberStatus): boolean => grantsAccess(status) && status !== "trialing";

function monthlyCents(cells: readonly Cell[], tiers: readonly Tier[]): number {
  const prices = new Map(tiers.map(({ id, monthly_price_dollars }) => [id, Math.round(monthly_price_dollars * 100)]));
  return cells
    .filter(({ status }) => pays(status))
    .reduce((cents, { tier_id, count }) => cents + count * (prices.get(tier_id) ?? 0), 0);
}
