import * as v from "valibot";
import { documented } from "./documented.ts";
import { inLastDays } from "./figure-days.ts";
import { cellsOf, countOf, type Figures, memberCount } from "./figures.ts";
import { byStatus, statuses } from "./member-status.ts";
import { Total } from "./page.ts";
import { Cents, Id } from "./scalars.ts";
import type { TierFields } from "./tier.ts";

/** How many members have each status. */
const ByStatus = documented(
  v.object(byStatus(() => Total)),
  byStatus((status) => [statuses[status].countDocs, 1] as const),
);

const countDocs = {
  total: ["Number of members of any status.", 1310],
  member_count: ["Number of members who have access.", 1200],
} as const;

/** How a community does (`docs/api.md`, section 9). It may lag by up to 60 seconds. */
export const Stats = documented(
  v.object({
    total: Total,
    member_count: Total,
    blocked: Total,
    by_status: ByStatus,
    by_tier: v.array(
      documented(v.object({ id: Id, name: v.string(), total: Total, member_count: Total }), {
        id: ["Unique identifier of the tier.", 11],
        name: ["Name of the tier.", "Reserva"],
        ...countDocs,
      }),
    ),
    monthly_recurring_revenue_cents: Cents,
    joined_in_30_days: Total,
    left_in_30_days: Total,
    refunded_in_30_days_cents: Cents,
  }),
  {
    ...countDocs,
    blocked: ["Number of blocked members.", 4],
    by_status: "Number of members by status.",
    by_tier: "Number of members of each tier, by position.",
    monthly_recurring_revenue_cents: [
      "Monthly recurring revenue from active and past-due members, after discounts, in US cents. Other intervals are converted to months.",
      2_925_000,
    ],
    joined_in_30_days: ["Number of people who got access for the first time in the last 30 days, today included.", 84],
    left_in_30_days: ["Number of subscriptions that ended in the last 30 days and were not started again.", 12],
    refunded_in_30_days_cents: ["Amount refunded in the last 30 days, in US cents.", 7500],
  },
);
type Stats = v.InferOutput<typeof Stats>;

export function statsOf(figures: Figures, tiers: readonly TierFields[], now: Date): Stats {
  const cells = cellsOf(figures);
  return {
    total: countOf(cells),
    member_count: memberCount(cells),
    blocked: countOf(cells, { is_blocked: true }),
    by_status: byStatus((status) => countOf(cells, { status })),
    by_tier: tiers.map(({ id, name }) => {
      const ofTier = cells.filter(({ tier_id }) => tier_id === id);
      return { id, name, total: countOf(ofTier), member_count: memberCount(ofTier) };
    }),
    monthly_recurring_revenue_cents: figures.monthly_cents,
    joined_in_30_days: inLastDays(figures.joined, now),
    left_in_30_days: inLastDays(figures.left, now),
    refunded_in_30_days_cents: inLastDays(figures.refunded_cents, now),
  };
}
