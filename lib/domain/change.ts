import * as v from "valibot";
import { Problem } from "../problem.ts";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { Redirect } from "./checkout.ts";
import { Member } from "./member.ts";
import { Membership } from "./membership.ts";

export const intervals = ["month", "year"] as const;
export type Interval = (typeof intervals)[number];

export const ChangeRequest = v.strictObject({
  tier_id: v.optional(Id),
  interval: v.optional(oneOf(intervals)),
  dry_run: v.optional(v.boolean(), false),
  preview_id: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(2000))),
});
export type ChangeRequest = v.InferOutput<typeof ChangeRequest>;

export const OwnChangeRequest = v.strictObject({ ...ChangeRequest.entries, return_url: v.optional(Redirect) });
export type OwnChangeRequest = v.InferOutput<typeof OwnChangeRequest>;

/** What a change does and costs. */
const Outcome = {
  status: oneOf(["preview", "changed", "scheduled", "payment_required"]),
  when: oneOf(["now", "at_period_end"]),
  charged_now_cents: Cents,
  credited_cents: Cents,
  next_charge_cents: v.nullable(Cents),
  next_charge_at: v.nullable(Timestamp),
  preview_id: v.nullable(v.string()),
  url: v.nullable(v.string()),
  expires_at: v.nullable(Timestamp),
};

export const ChangeAnswer = v.object({ ...Outcome, member: Member });
export const OwnChangeAnswer = v.object({ ...Outcome, membership: Membership });
export type ChangeOutcome = Omit<v.InferOutput<typeof ChangeAnswer>, "member">;

/** A price of a tier, or the one that a member pays, in US cents per interval, without discounts. */
export type Price = { readonly tier_id: number; readonly interval: Interval; readonly cents: number };

/** When a change takes effect, and whether it is charged then. A change at the end of the period is charged as a renewal. */
export type Timing = { readonly when: ChangeOutcome["when"]; readonly isCharged: boolean };

const free: Timing = { when: "now", isCharged: false };
const charged: Timing = { when: "now", isCharged: true };
const later: Timing = { when: "at_period_end", isCharged: false };

/**
 * When an owner's change takes effect (`docs/api.md`, section 3, "Change"): now if it costs nothing now, and otherwise at the
 * end of the period.
 *
 * @throws Problem `nothing_to_change`
 */
export function ownerTimingOf(from: Price, to: Price, isTrialing: boolean): Timing {
  assertOther(from, to);
  return isTrialing || isSameAmount(from, to) ? free : later;
}

/**
 * When a member's own change takes effect (`docs/api.md`, section 3, "Change"): now if it costs more, and otherwise at the end
 * of the period.
 *
 * @throws Problem `nothing_to_change`
 */
export function ownTimingOf(from: Price, to: Price, isTrialing: boolean): Timing {
  assertOther(from, to);
  if (isTrialing || isSameAmount(from, to)) return free;
  if (to.cents === 0) return later;
  if (from.cents === 0) return charged;
  if (from.interval !== to.interval) return to.interval === "year" ? charged : later;
  return to.cents > from.cents ? charged : later;
}

function assertOther(from: Price, to: Price): void {
  if (from.tier_id === to.tier_id && from.interval === to.interval) throw new Problem("nothing_to_change");
}

const isSameAmount = (from: Price, to: Price): boolean => from.interval === to.interval && from.cents === to.cents;
