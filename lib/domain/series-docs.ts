import { describeFields } from "../values/documented.ts";
import { Series, SeriesQuery } from "./series.ts";

describeFields(SeriesQuery, {
  metric: [
    "Metric. `members` and `mrr` (monthly recurring revenue) are values at the end of each period. `joined`, `left`, `gross` (amount paid), `refunded` and `disputed` (lost disputes, less losses reversed) are totals of each period.",
    "members",
  ],
  interval: ["Length of a period. Weeks begin on Monday.", "week"],
  from: [
    "Any day of the first period, in UTC. By default, the series has 30 days, 12 weeks or 12 months.",
    "2026-09-01",
  ],
  to: ["Any day of the last period, in UTC. Today by default.", "2026-11-22"],
});

describeFields(Series, {
  metric: ["The metric of the request.", "members"],
  interval: ["The interval of the request.", "week"],
  unit: ["Unit of the values: `members`, or `cents` for US cents.", "members"],
  points: "One point for each period, oldest first. Periods in which nothing happened are included.",
});

describeFields(Series.entries.points.item, {
  at: ["First day of the period, in UTC.", "2026-11-16"],
  value: ["Number of members, or amount in US cents.", 1200],
});
