import { describeFields } from "../values/documented.ts";
import { Stats } from "./stats.ts";

describeFields(Stats.entries.by_status, {
  active: ["Members whose subscription is paid.", 1],
  trialing: ["Members in their free trial.", 1],
  past_due: ["Members whose payment failed and is being retried.", 1],
  unpaid: ["Members whose payment failed and is no longer retried, or whose subscription is paused.", 1],
  canceled: ["Members whose subscription has ended.", 1],
  incomplete: ["Members whose first payment has not been made.", 1],
});

const countDocs = {
  total: ["Number of members of any status.", 1310],
  member_count: ["Number of members who have access.", 1200],
} as const;

const movementDocs = (members: string, cents: string, example: number) =>
  ({ cents: [cents, example], members: [members, 1] }) as const;

describeFields(Stats.entries.movements_30d, {
  start_cents: ["Monthly recurring revenue at the start of the 30 days, in US cents.", 2_732_000],
  new: "Members who paid for the first time.",
  reactivated: "Members who paid again.",
  expansion: "Members who paid more than before.",
  contraction: "Members who paid less than before.",
  churned: "Members who stopped paying.",
  end_cents: ["Monthly recurring revenue now, in US cents: the start plus all movements.", 2_925_000],
});

describeFields(
  Stats.entries.movements_30d.entries.new,
  movementDocs(
    "Number of members who paid for the first time.",
    "Monthly recurring revenue that they added, in US cents.",
    210_000,
  ),
);

describeFields(
  Stats.entries.movements_30d.entries.reactivated,
  movementDocs(
    "Number of times that a former payer paid again.",
    "Monthly recurring revenue that they added, in US cents.",
    5000,
  ),
);

describeFields(
  Stats.entries.movements_30d.entries.expansion,
  movementDocs(
    "Number of times that a member's amount rose.",
    "Increase of the monthly recurring revenue, in US cents.",
    12_000,
  ),
);

describeFields(
  Stats.entries.movements_30d.entries.contraction,
  movementDocs(
    "Number of times that a member's amount fell.",
    "Decrease of the monthly recurring revenue, in US cents, as a negative number.",
    -4000,
  ),
);

describeFields(
  Stats.entries.movements_30d.entries.churned,
  movementDocs(
    "Number of times that a member's amount became 0.",
    "Monthly recurring revenue that was lost, in US cents, as a negative number.",
    -30_000,
  ),
);

describeFields(Stats, {
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
  left_in_30_days: [
    "Number of subscriptions that ended in the last 30 days and were not started again. Imported members do not count, but in the series `left` they do.",
    12,
  ],
  refunded_in_30_days_cents: ["Amount refunded in the last 30 days, in US cents.", 7500],
  received_this_month_cents: [
    "Amount paid since the month began in UTC, before refunds and disputes, in US cents.",
    175_800,
  ],
  disputed_in_30_days_cents: [
    "Amount of the disputes that were lost in the last 30 days, less losses that were reversed in this time, in US cents. Can be negative.",
    9000,
  ],
});

describeFields(Stats.entries.by_tier.item, {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
  ...countDocs,
});
