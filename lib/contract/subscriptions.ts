import { ChangeAnswer, ChangeRequest, OwnChangeAnswer, OwnChangeRequest } from "../domain/change.ts";
import { Member } from "../domain/member.ts";
import { Membership } from "../domain/membership.ts";
import type { Route } from "./route.ts";

export const change = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/change_subscription",
  access: "owner",
  right: "subscriptions_change",
  body: ChangeRequest,
  record: Member,
  output: ChangeAnswer,
  problems: [
    "person_erased",
    "member_blocked",
    "community_archived",
    "payment_overdue",
    "cancel_scheduled",
    "subscription_not_managed",
    "nothing_to_change",
    "preview_expired",
    "too_many_changes",
    "unknown_tier",
  ],
  previews: true,
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

export const changeOwn = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/membership/change_subscription",
  access: "user",
  body: OwnChangeRequest,
  output: OwnChangeAnswer,
  problems: [
    "not_found",
    "person_erased",
    "member_blocked",
    "community_archived",
    "payment_overdue",
    "cancel_scheduled",
    "subscription_not_managed",
    "nothing_to_change",
    "preview_expired",
    "too_many_changes",
    "unknown_tier",
  ],
  previews: true,
  table: "write",
  billing: "write",
  redirects: true,
  limited: "money",
} as const satisfies Route;

export const dropScheduledChange = {
  method: "DELETE",
  path: "/odis/v1/communities/{community_id}/members/{id}/scheduled_change",
  access: "owner",
  right: "subscriptions_change",
  record: Member,
  output: Member,
  problems: ["person_erased"],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

export const dropOwnScheduledChange = {
  method: "DELETE",
  path: "/odis/v1/communities/{community_id}/membership/scheduled_change",
  access: "user",
  output: Membership,
  problems: ["not_found", "person_erased"],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  change: [
    "Change a member's tier, interval or both",
    "Charges nothing now: the change is made at the end of the period, or now during a trial or for the same amount. It replaces the one that was scheduled before. With `dry_run`, only previews the change. With `preview_id`, makes exactly the change that was previewed.",
  ],
  changeOwn: [
    "Change the caller's own tier, interval or both",
    "A change that costs more is made and charged now. During a trial, or for the same amount, it is made now without a charge. Every other one is made at the end of the period. With `dry_run`, only previews the change. With `preview_id`, charges exactly what was previewed. If the charge fails or has to be confirmed, `status` is `payment_required`, and nothing changes until it is paid at `url`. Returns 404 if the caller is not a member.",
  ],
  dropScheduledChange: ["Drop a member's scheduled change", "Returns 404 if none is scheduled."],
  dropOwnScheduledChange: [
    "Drop the scheduled change of the caller's own subscription",
    "Returns 404 if none is scheduled, and if the caller is not a member.",
  ],
} as const;
