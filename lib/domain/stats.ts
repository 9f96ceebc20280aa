import * as v from "valibot";
import type { MovementKind } from "../fields/movement.ts";
import { byStatus } from "../values/member-status.ts";
import { Cents, Id } from "../values/scalars.ts";
import { inLastDays } from "./figure-days.ts";
import { cellsOf, countOf, type Figures, memberCount, notNegative } from "./figures.ts";
import { Total } from "./page.ts";
import { addSums, monthlyChange, type Sums } from "./series.ts";
import type { TierFields } from "./tier.ts";

/** Number of members by status. */
const ByStatus = v.object(byStatus(() => Total));

const Movements = v.object({
  start_cents: Cents,
  new: v.object({ cents: Cents, members: Total }),
  reactivated: v.object({ cents: Cents, members: Total }),
  expansion: v.object({ cents: Cents, members: Total }),
  contraction: v.object({ cents: Cents, members: Total }),
  churned: v.object({ cents: Cents, members: Total }),
  end_cents: Cents,
});

/** Statistics of a community (`docs/api.md`, section 9). They may lag by up to 60 seconds. */
export const Stats = v.object({
  total: Total,
  member_count: Total,
  blocked: Total,
  by_status: ByStatus,
  by_tier: v.array(v.object({ id: Id, name: v.string(), total: Total, member_count: Total })),
  monthly_recurring_revenue_cents: Cents,
  movements_30d: Movements,
  churn_rate_30d: v.nullable(v.pipe(v.number(), v.minValue(0))),
  joined_in_30_days: Total,
  left_in_30_days: Total,
  refunded_in_30_days_cents: Cents,
  received_this_month_cents: Cents,
  disputed_in_30_days_cents: Cents,
});
type Stats = v.InferOutput<typeof Stats>;

/** The current figures, and the sums of the last 30 days and of the current month. */
type Counted = { readonly figures: Figures; readonly days: readonly Sums[]; readonly month: readonly Sums[] };

export function statsOf({ figures, days, month }: Counted, tiers: readonly TierFields[], now: Date): Stats {
  const cells = cellsOf(figures);
  const sums = days.reduce((all, day) => addSums(all, day), {});
  return {
    total: countOf(cells),
    member_count: memberCount(cells),
    blocked: countOf(cells, { is_blocked: true }),
    by_status: byStatus((status) => countOf(cells, { status })),
    by_tier: tiers.map(({ id, name }) => {
      const ofTier = cells.filter(({ tier_id }) => tier_id === id);
      return { id, name, total: countOf(ofTier), member_count: memberCount(ofTier) };
    }),
    monthly_recurring_revenue_cents: Math.round(figures.monthly_cents),
    movements_30d: movementsOf(sums, Math.round(figures.monthly_cents)),
    churn_rate_30d: churnRateOf(sums, memberCount(cells)),
    joined_in_30_days: notNegative(inLastDays(figures.joined, now)),
    left_in_30_days: notNegative(inLastDays(figures.left, now)),
    refunded_in_30_days_cents: inLastDays(figures.refunded_cents, now),
    received_this_month_cents: month.reduce((total, { paid_cents = 0 }) => total + paid_cents, 0),
    disputed_in_30_days_cents: sums.disputed_cents ?? 0,
  };
}

/** Rounds each kind of movement to cents, so that the start and the shown movements add up to the shown end. */
function movementsOf(exact: Sums, end_cents: number): Stats["movements_30d"] {
  const sums: Sums = Object.fromEntries(Object.entries(exact).map(([name, sum]) => [name, Math.round(sum)]));
  const of = (kind: MovementKind) => ({
    cents: sums[`${kind}_cents`] ?? 0,
    members: notNegative(sums[`${kind}_members`] ?? 0),
  });
  return {
    start_cents: end_cents - monthlyChange(sums),
    new: of("new"),
    reactivated: of("reactivated"),
    expansion: of("expansion"),
    contraction: of("contraction"),
    churned: of("churned"),
    end_cents,
  };
}

function churnRateOf({ joined = 0, left = 0 }: Sums, members: number): number | null {
  const atStart = members - joined + left;
  return atStart <= 0 ? null : Math.round((notNegative(left) / atStart) * 10_000) / 10_000;
}
