import type { MemberStatus } from "../values/member-status.ts";

/** The fields of a member that decide when the end of a trial is announced. */
export type Trial = {
  readonly status: MemberStatus;
  readonly trial_start: string | null;
  readonly trial_end: string | null;
  /** Start of the latest trial whose end was announced. */
  readonly trial_announced?: string | undefined;
};

const leadMs = 3 * 24 * 60 * 60 * 1000;

/**
 * The time to announce the end of a trial: 3 days before it, or at the start of a shorter trial (`docs/api.md`, section 10).
 *
 * @returns undefined if there is no trial, or its end was announced already
 */
export function trialAnnouncementAt({ status, trial_start, trial_end, trial_announced }: Trial): string | undefined {
  if (status !== "trialing" || trial_start === null || trial_end === null) return undefined;
  if (trial_announced === trial_start) return undefined;
  const ahead = new Date(Date.parse(trial_end) - leadMs).toISOString();
  return ahead > trial_start ? ahead : trial_start;
}
