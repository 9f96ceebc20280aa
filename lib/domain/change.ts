import * as v from "valibot";
import { Problem } from "../problem.ts";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { Member } from "./member.ts";

export const intervals = ["month", "year"] as const;
export type Interval = (typeof intervals)[number];

export const ChangeRequest = v.strictObject({
  tier_id: v.optional(Id),
  interval: v.optional(oneOf(intervals)),
  dry_run: v.optional(v.boolean(), false),
  preview_id: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(2000))),
});
export type ChangeRequest = v.InferOutput<typeof ChangeRequest>;

/** What a change does and costs. */
const Outcome = {
  status: oneOf(["preview", "changed", "scheduled"]),
  when: oneOf(["now", "at_period_end"]),
  charged_now_cents: Cents,
  credited_cents: Cents,
  next_charge_cents: v.nullable(Cents),
  next_charge_at: v.nullable(Timestamp),
  preview_id: v.nullable(v.string()),
};

export const ChangeAnswer = v.object({ ...Outcome, member: Member });
export type ChangeOutcome = Omit<v.InferOutput<typeof ChangeAnswer>, "member">;

/** A price of a tier, or the one that a member pays, in US cents per interval, without discounts. */
export type Price = { readonly tier_id: number; readonly interval: Interval; readonly cents: number };

/**
 * When an owner's change takes effect (`docs/api.md`, section 5): now if it costs nothing now, and otherwise at the end of
 * the period.
 *
 * @throws Problem `nothing_to_change`
 */
export function timingOf(from: Price, to: Price, isTrialing: boolean): ChangeOutcome["when"] {
  if (from.tier_id === to.tier_id && from.interval === to.interval) throw new Problem("nothing_to_change");
  if (isTrialing) return "now";
  return from.interval === to.interval && from.cents === to.cents ? "now" : "at_period_end";
}
