import type { ScheduledChange } from "../fields/member.ts";

/** The fields of a member that tell what happened to a scheduled change. */
export type Scheduled = {
  readonly tier_id: number;
  readonly interval: ScheduledChange["interval"];
  readonly scheduled_change: ScheduledChange | null;
  readonly price_cents: number | null;
  readonly current_period_end: string;
};

/** Whether a change was scheduled, or replaced another one. The name of a tier is no part of a change. */
export function isScheduled(before: Scheduled | undefined, { scheduled_change: is }: Scheduled): boolean {
  const was = before?.scheduled_change;
  if (!is) return false;
  return (
    (["interval", "price_cents", "at"] as const).some((name) => was?.[name] !== is[name]) || was?.tier.id !== is.tier.id
  );
}

/** Whether a scheduled change was dropped without being made. */
export function isTakenBack(before: Scheduled | undefined, after: Scheduled): boolean {
  const was = before?.scheduled_change;
  if (!was || after.scheduled_change) return false;
  const isOf = ({ tier_id, interval }: Scheduled) => was.tier.id === tier_id && was.interval === interval;
  if (!isOf(after)) return true;
  // A change of the price alone is made at the end of a period, or changes the next amount at once.
  const isSamePeriod = before.current_period_end === after.current_period_end;
  return isOf(before) && isSamePeriod && was.price_cents !== after.price_cents;
}

/** Whether the billing period became another one. It is unknown without a subscription. */
export const isOtherInterval = (before: Scheduled | undefined, { interval }: Scheduled): boolean =>
  !!before?.interval && interval !== null && interval !== before.interval;
