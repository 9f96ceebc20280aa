import * as v from "valibot";
import type { RefundEntry } from "../fields/refund.ts";
import { MemberStatus, statuses } from "../values/member-status.ts";
import { toTwelfth } from "../values/twelfths.ts";
import { addDays, type Sums, type SumsByDay } from "./series.ts";
import { joined as afterJoin } from "./trend.ts";

const ByKey = v.record(v.string(), v.number());

/**
 * The figures of a community. All except the score are sums over its current members, so that changes may be counted in
 * any order, and the figures can be recounted. A sum may be below 0 while the record of an earlier change is set aside.
 * Responses and the directory show 0 then.
 */
export const Figures = v.object({
  /** Number of members, by status, tier and block: `active/11/open`. */
  members: ByKey,
  /** Number of members who first got access, by day. */
  joined: ByKey,
  /** Number of subscriptions that ended and were not resumed, by day. */
  left: ByKey,
  /** Refunded amount in US cents, by day. */
  refunded_cents: ByKey,
  /** Monthly amount of all members, in cents and twelfths of a cent. Missing in figures of earlier versions. */
  monthly_cents: v.optional(v.number(), 0),
  /** Number of different people who have joined. */
  joiners: v.number(),
  /** The score from which the heat of the community is computed (`trend.ts`). Null before the first join. */
  trend_score: v.nullable(v.number()),
});
export type Figures = v.InferOutput<typeof Figures>;

export const noFigures: Figures = {
  members: {},
  joined: {},
  left: {},
  refunded_cents: {},
  monthly_cents: 0,
  joiners: 0,
  trend_score: null,
};

/** The fields of a member that are counted. */
export type Counted = {
  readonly status: MemberStatus;
  readonly tier_id: number;
  readonly is_blocked: boolean;
  /** Time of the first access. Null for imported members. */
  readonly first_granted_at: string | null;
  readonly ended_at: string | null;
  /** The newest 100 refunds. Each counts on the day it was issued. */
  readonly refunds: readonly Refund[];
  /** Total of earlier refunds, by day. */
  readonly older_refunds_cents: Readonly<Record<string, number>>;
  /** Amount paid, by day. */
  readonly paid_cents_by_day: Readonly<Record<string, number>>;
  /** Amount of lost disputes, less losses reversed, by day. */
  readonly disputed_cents_by_day: Readonly<Record<string, number>>;
  readonly monthly_cents: number;
  /**
   * Time since which the member's movements are recorded. Members without this time do not count in the sums of days.
   */
  readonly recorded_since?: string | undefined;
};

type Refund = Pick<RefundEntry, "amount_cents" | "status" | "issued_at">;

const partNames = ["members", "joined", "left", "refunded_cents"] as const;
type PartName = (typeof partNames)[number];
type PartFigures = Pick<Figures, PartName>;

/** The effect of a change of a member on the figures and on the sums of days. */
export type Change = PartFigures &
  Pick<Figures, "joiners" | "monthly_cents"> & { readonly joins: readonly Date[]; readonly days: SumsByDay };

/** A change that only affects the sums of days. */
export const changeOfDays = (days: SumsByDay): Change => ({ ...noFigures, joins: [], days });

/** The effect on the figures if a member changes from `before` to `after`. Undefined if there is none. */
export function changeOf(before: Counted | undefined, after: Counted | undefined): Change | undefined {
  const gone = before ? partsOf(before) : noFigures;
  const come = after ? partsOf(after) : noFigures;
  const parts = combine(come, gone, -1);
  const days = addDays(moneyByDay(after), moneyByDay(before), -1);
  const joiners = isJoiner(after) - isJoiner(before);
  const joins = joiners > 0 && after?.first_granted_at ? [new Date(after.first_granted_at)] : [];
  const monthly_cents = toTwelfth((after?.monthly_cents ?? 0) - (before?.monthly_cents ?? 0));
  const isEmpty =
    joiners === 0 &&
    monthly_cents === 0 &&
    [days, ...partNames.map((name) => parts[name])].every((sums) => Object.keys(sums).length === 0);
  return isEmpty ? undefined : { ...parts, monthly_cents, joiners, joins, days };
}

/** The figures after a change. Changes may be applied in any order. */
export const apply = (figures: Figures, change: Change): Figures => ({
  ...combine(figures, change),
  monthly_cents: toTwelfth(figures.monthly_cents + change.monthly_cents),
  joiners: figures.joiners + change.joiners,
  trend_score: change.joins.reduce<number | null>((score, at) => afterJoin(score, at), figures.trend_score),
});

const isJoiner = (member: Counted | undefined): number => (member?.first_granted_at ? 1 : 0);

const dayOf = (at: string): string => at.slice(0, 10);

/** Whether a refund counts: until it fails or is canceled (`docs/api.md`, section 3). */
const counts = ({ status }: Refund): boolean => status !== "failed" && status !== "canceled";

/** Total of refunds, by day. */
export const refundedByDay = (refunds: readonly Refund[]): Record<string, number> =>
  refunds
    .filter(counts)
    .reduce<Record<string, number>>(
      (sums, { issued_at, amount_cents }) => sum(sums, { [dayOf(issued_at)]: amount_cents }),
      {},
    );

/** Payments, refunds and lost disputes of a member, by day. The backfill counts those of members that earlier versions have stored. */
function moneyByDay(member: Counted | undefined): SumsByDay {
  if (member?.recorded_since === undefined) return {};
  const each = (name: keyof Sums, byDay: Readonly<Record<string, number>>): SumsByDay =>
    Object.fromEntries(Object.entries(byDay).map(([day, cents]) => [day, { [name]: cents }]));
  return [
    each("paid_cents", member.paid_cents_by_day),
    each("refunded_cents", refundedOf(member)),
    each("disputed_cents", member.disputed_cents_by_day),
  ].reduce((all, days) => addDays(all, days));
}

const refundedOf = ({ older_refunds_cents, refunds }: Counted): Record<string, number> =>
  sum(older_refunds_cents, refundedByDay(refunds));

function partsOf(member: Counted): PartFigures {
  const { status, tier_id, is_blocked, first_granted_at, ended_at } = member;
  const hasLeft = status === "canceled" && first_granted_at !== null && ended_at !== null;
  return {
    members: { [cellKey(status, tier_id, is_blocked)]: 1 },
    joined: first_granted_at === null ? {} : { [dayOf(first_granted_at)]: 1 },
    left: hasLeft ? { [dayOf(ended_at)]: 1 } : {},
    refunded_cents: refundedOf(member),
  };
}

const combine = (a: PartFigures, b: PartFigures, sign = 1): PartFigures => ({
  members: sum(a.members, b.members, sign),
  joined: sum(a.joined, b.joined, sign),
  left: sum(a.left, b.left, sign),
  refunded_cents: sum(a.refunded_cents, b.refunded_cents, sign),
});

/** Adds two sets of sums. Leaves out sums of 0. */
function sum(a: Figures[PartName], b: Figures[PartName], sign = 1): Record<string, number> {
  const all = { ...a };
  for (const [key, by] of Object.entries(b)) all[key] = (all[key] ?? 0) + sign * by;
  return Object.fromEntries(Object.entries(all).filter(([, total]) => total !== 0));
}

const cellKey = (status: MemberStatus, tierId: number, isBlocked: boolean): string =>
  `${status}/${tierId}/${isBlocked ? "blocked" : "open"}`;

/** Number of members with the same status, tier and block. */
export type Cell = Pick<Counted, "status" | "tier_id" | "is_blocked"> & { readonly count: number };

export const cellsOf = ({ members }: Pick<Figures, "members">): Cell[] =>
  Object.entries(members).map(([key, count]) => {
    const [status, tier, blocked] = key.split("/");
    return { status: v.parse(MemberStatus, status), tier_id: Number(tier), is_blocked: blocked === "blocked", count };
  });

/** Number of members that match the filter. */
export const countOf = (cells: readonly Cell[], filter: Partial<Omit<Cell, "count">> = {}): number =>
  notNegative(
    cells
      .filter(
        ({ status, tier_id, is_blocked }) =>
          (filter.status ?? status) === status &&
          (filter.tier_id ?? tier_id) === tier_id &&
          (filter.is_blocked ?? is_blocked) === is_blocked,
      )
      .reduce((total, { count }) => total + count, 0),
  );

/** The sum that responses show: at least 0. */
export const notNegative = (total: number): number => Math.max(0, total);

/** Number of members with access: the public `member_count`. */
export const memberCount = (cells: readonly Cell[]): number =>
  countOf(
    cells.filter(({ status }) => statuses[status].grantsAccess),
    { is_blocked: false },
  );
