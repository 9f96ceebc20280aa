import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { byStatus, statuses } from "../values/member-status.ts";
import { Cents, Id } from "../values/scalars.ts";
import { inLastDays } from "./figure-days.ts";
import { cellsOf, countOf, type Figures, memberCount } from "./figures.ts";
import type { MovementKind } from "./movement.ts";
import { Total } from "./page.ts";
import { addSums, monthlyChange, type Sums } from "./series.ts";
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

const movementDocs = (members: string, cents: string, example: number) =>
  ({ cents: [cents, example], members: [members, 1] }) as const;

const Movements = documented(
  v.object({
    start_cents: Cents,
    new: documented(
      v.object({ cents: Cents, members: Total }),
      movementDocs(
        "Number of members who paid for the first time.",
        "Monthly recurring revenue that they added, in US cents.",
        210_000,
      ),
    ),
    reactivated: documented(
      v.object({ cents: Cents, members: Total }),
      movementDocs(
        "Number of times that a former payer paid again.",
        "Monthly recurring revenue that they added, in US cents.",
        5000,
      ),
    ),
    expansion: documented(
      v.object({ cents: Cents, members: Total }),
      movementDocs(
        "Number of times that a member's amount rose.",
        "Increase of the monthly recurring revenue, in US cents.",
        12_000,
      ),
    ),
    contraction: documented(
      v.object({ cents: Cents, members: Total }),
      movementDocs(
        "Number of times that a member's amount fell.",
        "Decrease of the monthly recurring revenue, in US cents, as a negative number.",
        -4000,
      ),
    ),
    churned: documented(
      v.object({ cents: Cents, members: Total }),
      movementDocs(
        "Number of times that a member's amount became 0.",
        "Monthly recurring revenue that was lost, in US cents, as a negative number.",
        -30_000,
      ),
    ),
    end_cents: Cents,
  }),
  {
    start_cents: ["Monthly recurring revenue at the start of the 30 days, in US cents.", 2_732_000],
    new: "Members who paid for the first time.",
    reactivated: "Members who paid again.",
    expansion: "Members who paid more than before.",
    contraction: "Members who paid less than before.",
    churned: "Members who stopped paying.",
    end_cents: ["Monthly recurring revenue now, in US cents: the start plus all movements.", 2_925_000],
  },
);

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
    movements_30d: Movements,
    churn_rate_30d: v.nullable(v.pipe(v.number(), v.minValue(0))),
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
    movements_30d:
      "Movements of the monthly recurring revenue in the last 30 days, today included, by the day on which Odis recorded them.",
    churn_rate_30d: [
      "Number of times that a member lost access in the last 30 days, today included, divided by the number of members with access at the start, rounded to 4 decimals. `null` if there were none.",
      0.0125,
    ],
    joined_in_30_days: ["Number of people who got access for the first time in the last 30 days, today included.", 84],
    left_in_30_days: ["Number of subscriptions that ended in the last 30 days and were not started again.", 12],
    refunded_in_30_days_cents: ["Amount refunded in the last 30 days, in US cents.", 7500],
  },
);
type Stats = v.InferOutput<typeof Stats>;

/** The figures as they are, and the sums of the last 30 days. */
type Counted = { readonly figures: Figures; readonly days: readonly Sums[] };

export function statsOf({ figures, days }: Counted, tiers: readonly TierFields[], now: Date): Stats {
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
    monthly_recurring_revenue_cents: figures.monthly_cents,
    movements_30d: movementsOf(sums, figures.monthly_cents),
    churn_rate_30d: churnRateOf(sums, memberCount(cells)),
    joined_in_30_days: inLastDays(figures.joined, now),
    left_in_30_days: inLastDays(figures.left, now),
    refunded_in_30_days_cents: inLastDays(figures.refunded_cents, now),
  };
}

function movementsOf(sums: Sums, end_cents: number): Stats["movements_30d"] {
  const of = (kind: MovementKind) => ({ cents: sums[`${kind}_cents`] ?? 0, members: sums[`${kind}_members`] ?? 0 });
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
  return atStart <= 0 ? null : Math.round((left / atStart) * 10_000) / 10_000;
}
