import type { ScheduledChange } from "../fields/member.ts";

/** The fields of a member that tell what happened to a scheduled change. */
export type Scheduled = {
  readonly tier_id: number;
  readonly interval: ScheduledChange["interval"];
  readonly scheduled_change: ScheduledChange | null;
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
  return !!was && !after.scheduled_change && !(was.tier.id === after.tier_id && was.interval === after.interval);
}

/** Whether the billing period became another one. It is unknown without a subscription. */
export const isOtherInterval = (before: Scheduled | undefined, { interval }: Scheduled): boolean =>
  !!before?.interval && interval !== null && interval !== before.interval;
