import { CancellationRequest, Nothing } from "../domain/cancellation.ts";
import { Membership } from "../domain/membership.ts";
import { PaymentHistoryPage, PaymentHistoryQuery } from "../domain/payment.ts";
import type { Route } from "./route.ts";

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/membership",
  access: "user",
  output: Membership,
  table: "read",
} as const satisfies Route;

export const paymentHistory = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/membership/payment_history",
  access: "user",
  query: PaymentHistoryQuery,
  output: PaymentHistoryPage,
  cursor: true,
  table: "read",
  billing: "read",
  limited: "processor",
} as const satisfies Route;

export const cancelSubscription = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/membership/cancel_subscription",
  access: "user",
  body: CancellationRequest,
  output: Membership,
  problems: ["not_found", "person_erased", "period_ended", "subscription_already_canceled"],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

export const uncancelSubscription = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/membership/uncancel_subscription",
  access: "user",
  body: Nothing,
  output: Membership,
  problems: [
    "not_found",
    "person_erased",
    "period_ended",
    "subscription_already_canceled",
    "not_scheduled_to_cancel",
    "member_blocked",
  ],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  show: "Show the caller's own membership and whether it grants access",
  paymentHistory: [
    "List the caller's own invoices with their charges",
    "The links lead to Stripe's page and PDF of each invoice. Blocked and former members see their invoices too. The list is empty if the caller has never been a member.",
  ],
  cancelSubscription: [
    "Cancel the caller's own subscription, at period end or immediately",
    "Never refunds anything. Repeating a cancellation at period end has no further effect. It can be followed by an immediate cancellation. Blocked members can cancel too. Returns 404 if the caller is not a member.",
  ],
  uncancelSubscription: [
    "Withdraw the scheduled cancellation of the caller's own subscription",
    "Returns 404 if the caller is not a member.",
  ],
} as const;
