import * as v from "valibot";
import type { Stored } from "../fields/field.ts";
import { type MovementKind, type movementFields, movementKinds } from "../fields/movement.ts";
import { oneOf } from "../values/scalars.ts";
import { toTwelfth } from "../values/twelfths.ts";
import { Day } from "./page.ts";

/** Names of the sums that are stored for each day. */
export type SumName =
  | "joined"
  | "left"
  | "paid_cents"
  | "refunded_cents"
  | "disputed_cents"
  | `${MovementKind}_${"cents" | "members"}`;

export const sumNames: readonly SumName[] = [
  "joined",
  "left",
  "paid_cents",
  "refunded_cents",
  "disputed_cents",
  ...movementKinds.flatMap((kind) => [`${kind}_cents`, `${kind}_members`] as const),
];

/** Sums of a day or month, in members and cents. Those of monthly amounts have twelfths of a cent. Sums of 0 may be left out. */
export type Sums = Readonly<Partial<Record<SumName, number>>>;

/** Sums by day: `2026-11-03`. */
export type SumsByDay = Readonly<Record<string, Sums>>;

/** The sums that a movement adds to its day. */
export function sumsOfMovement({ access, monthly }: Pick<Stored<typeof movementFields>, "access" | "monthly">): Sums {
  return {
    ...(access === "begun" && { joined: 1 }),
    ...(access === "ended" && { left: 1 }),
    ...(monthly && {
      [`${monthly.kind}_cents`]: monthly.after_cents - monthly.before_cents,
      [`${monthly.kind}_members`]: 1,
    }),
  };
}

/** Adds sums. Leaves out sums of 0. */
export function addSums(a: Sums, b: Sums, sign = 1): Sums {
  const all: Partial<Record<SumName, number>> = { ...a };
  for (const name of Object.keys(b) as SumName[]) all[name] = toTwelfth((all[name] ?? 0) + sign * (b[name] ?? 0));
  return Object.fromEntries(Object.entries(all).filter(([, total]) => total !== 0));
}

/** Adds sums by day. Leaves out days without sums. */
export function addDays(a: SumsByDay, b: SumsByDay, sign = 1): SumsByDay {
  const all: Record<string, Sums> = { ...a };
  for (const [day, sums] of Object.entries(b)) all[day] = addSums(all[day] ?? {}, sums, sign);
  return Object.fromEntries(Object.entries(all).filter(([, sums]) => Object.keys(sums).length > 0));
}

/** The sums, without payments, refunds and disputes before a day. */
export const withoutMoneyBefore = (days: SumsByDay, first: string): SumsByDay =>
  addDays(
    {},
    Object.fromEntries(
      Object.entries(days).map(([day, sums]) => [
        day,
        day < first ? { ...sums, paid_cents: 0, refunded_cents: 0, disputed_cents: 0 } : sums,
      ]),
    ),
  );

/** Adds up the sums of days by month. */
export const byMonth = (days: SumsByDay): SumsByDay =>
  Object.entries(days).reduce<SumsByDay>((all, [day, sums]) => addDays(all, { [day.slice(0, 7)]: sums }), {});

/** Change of the monthly amount, in cents and twelfths of a cent. */
export const monthlyChange = (sums: Sums): number =>
  movementKinds.reduce((total, kind) => total + (sums[`${kind}_cents`] ?? 0), 0);

type MetricRules = {
  readonly unit: "members" | "cents";
  /** Whether a point is the value at the end of its period. Otherwise it is the total of the period. */
  readonly isValue: boolean;
  readonly of: (sums: Sums) => number;
};

const metrics = {
  members: { unit: "members", isValue: true, of: ({ joined = 0, left = 0 }) => joined - left },
  mrr: { unit: "cents", isValue: true, of: monthlyChange },
  joined: { unit: "members", isValue: false, of: ({ joined = 0 }) => joined },
  left: { unit: "members", isValue: false, of: ({ left = 0 }) => left },
  gross: { unit: "cents", isValue: false, of: ({ paid_cents = 0 }) => paid_cents },
  refunded: { unit: "cents", isValue: false, of: ({ refunded_cents = 0 }) => refunded_cents },
  disputed: { unit: "cents", isValue: false, of: ({ disputed_cents = 0 }) => disputed_cents },
} as const satisfies Record<string, MetricRules>;

export type Metric = keyof typeof metrics;
const Metric = oneOf(Object.keys(metrics) as Metric[]);

/** Whether a point of the metric is the sum of everything before it. */
export const isValue = (metric: Metric): boolean => metrics[metric].isValue;

const Interval = oneOf(["day", "week", "month"]);
export type Interval = v.InferOutput<typeof Interval>;

export const SeriesQuery = v.object({
  metric: Metric,
  interval: v.optional(Interval, "day"),
  from: v.optional(Day),
  to: v.optional(Day),
});
export type SeriesQuery = v.InferOutput<typeof SeriesQuery>;

/** A metric over time (`docs/api.md`, section 9). It may lag by up to 60 seconds. */
export const Series = v.object({
  metric: Metric,
  interval: Interval,
  unit: oneOf(["members", "cents"]),
  points: v.array(
    v.object({ at: v.pipe(v.string(), v.metadata({ format: "date" })), value: v.pipe(v.number(), v.integer()) }),
  ),
});
export type Series = v.InferOutput<typeof Series>;

/**
 * The points of a metric.
 *
 * @param starts the first day of each period, in order
 * @param rows sums by the first day of their day or month. For a metric that is a value, all sums up to the end of the
 *   last period; otherwise the sums of the periods
 */
export function pointsOf(
  metric: Metric,
  starts: readonly string[],
  rows: readonly (readonly [on: string, sums: Sums])[],
): Series["points"] {
  const { isValue: isTotal, of } = metrics[metric];
  const left = rows.toSorted(([a], [b]) => (a < b ? -1 : 1));
  let total = 0;
  return starts.map((at, n) => {
    const end = starts[n + 1] ?? "9999";
    const until = left.findIndex(([on]) => on >= end);
    const own = left.splice(0, until === -1 ? left.length : until);
    total = own.reduce((sum, [, sums]) => sum + of(sums), isTotal ? total : 0);
    return { at, value: Math.round(toTwelfth(total)) };
  });
}

export const unitOf = (metric: Metric): Series["unit"] => metrics[metric].unit;
