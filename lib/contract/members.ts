import { ActivityPage, ActivityQuery } from "../domain/activity.ts";
import { CancellationRequest, Nothing } from "../domain/cancellation.ts";
import { BlockRequest, Member, MemberUpdate } from "../domain/member.ts";
import { ImportedMembers, MembersImport } from "../domain/member-import.ts";
import { MemberLabel } from "../domain/member-label.ts";
import { MemberListQuery, MemberPage, MemberRow } from "../domain/member-list.ts";
import { PaymentHistoryPage, PaymentHistoryQuery, SubscriptionDetails } from "../domain/payment.ts";
import { ChargeRefundRequest, RefundAnswer, RefundRequest } from "../domain/refund.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members",
  access: "owner",
  right: "members_read",
  csvRight: "members_export",
  query: MemberListQuery,
  output: MemberPage,
  cursor: true,
  csv: MemberRow,
  csvFiles: { labels: MemberLabel },
  table: "read",
  indexes: true,
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members/{id}",
  access: "owner",
  right: "members_read",
  output: Member,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/communities/{community_id}/members/{id}",
  access: "owner",
  right: "members_write",
  body: MemberUpdate,
  output: Member,
  etag: true,
  problems: ["person_erased"],
  table: "write",
  billing: "write",
  limited: "processor",
  limitedFor: { in: "member", fields: ["shipping_address"] },
} as const satisfies Route;

export const block = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/block",
  access: "owner",
  right: "members_write",
  body: BlockRequest,
  output: Member,
  etag: true,
  problems: ["person_erased", "cannot_block_owner"],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

export const unblock = {
  method: "DELETE",
  path: "/odis/v1/communities/{community_id}/members/{id}/unblock",
  access: "owner",
  right: "members_write",
  output: Member,
  etag: true,
  problems: ["person_erased"],
  table: "write",
  limited: "money",
} as const satisfies Route;

export const cancelSubscription = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/cancel_subscription",
  access: "owner",
  right: "members_write",
  body: CancellationRequest,
  output: Member,
  etag: true,
  problems: ["person_erased", "period_ended", "subscription_already_canceled"],
  table: "write",
  billing: "write",
  limited: "money",
} as const satisfies Route;

export const uncancelSubscription = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/uncancel_subscription",
  access: "owner",
  right: "members_write",
  body: Nothing,
  output: Member,
  etag: true,
  problems: [
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

export const issueRefund = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/issue_refund",
  access: "owner",
  right: "refunds_write",
  body: RefundRequest,
  status: 201,
  record: Member,
  output: RefundAnswer,
  problems: [
    "person_erased",
    "nothing_to_refund",
    "charge_already_refunded",
    "charge_disputed",
    "amount_exceeds_refundable",
  ],
  table: "write",
  billing: "write",
  limited: "refunds",
} as const satisfies Route;

export const refundCharge = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/{id}/refund_charge",
  access: "owner",
  right: "refunds_write",
  body: ChargeRefundRequest,
  status: 201,
  record: Member,
  output: RefundAnswer,
  problems: [
    "person_erased",
    "nothing_to_refund",
    "charge_already_refunded",
    "charge_disputed",
    "amount_exceeds_refundable",
  ],
  table: "write",
  billing: "write",
  limited: "refunds",
} as const satisfies Route;

export const paymentHistory = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members/{id}/payment_history",
  access: "owner",
  right: "members_read",
  query: PaymentHistoryQuery,
  output: PaymentHistoryPage,
  cursor: true,
  table: "read",
  billing: "read",
  limited: "processor",
} as const satisfies Route;

export const subscriptionDetails = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members/{id}/subscription_details",
  access: "owner",
  right: "members_read",
  output: SubscriptionDetails,
  problems: ["no_subscription"],
  table: "write",
  billing: "read",
  limited: "processor",
} as const satisfies Route;

export const activity = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/members/{id}/activity",
  access: "owner",
  right: "members_read",
  query: ActivityQuery,
  output: ActivityPage,
  cursor: true,
  table: "read",
} as const satisfies Route;

export const importBatch = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/members/import",
  access: "owner",
  right: "members_import",
  body: MembersImport,
  output: ImportedMembers,
  table: "write",
  billing: "write",
  limited: "processor",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: [
    "List the members of a community",
    "With `Accept: text/csv`, the page is returned as CSV without the metadata. The `Link` header has the next page. With `columns=labels`, the CSV is one file of up to 5,000 shipping labels. With several filters, a page may have fewer than `per` records, or none, while `has_more` is true.",
  ],
  show: "Show a member",
  update: "Edit a member's address, notes and custom metadata",
  block: [
    "Block a member; access ends, but the subscription continues",
    "Idempotent. Open checkout sessions expire, and new ones are refused.",
  ],
  unblock: ["Unblock a member", "Idempotent."],
  cancelSubscription: [
    "Cancel a member's subscription, at period end or immediately",
    "Never refunds anything. Repeating a cancellation at period end has no further effect. It can be followed by an immediate cancellation. A membership without a subscription in Stripe is ended by Odis itself.",
  ],
  uncancelSubscription: "Withdraw a scheduled cancellation",
  issueRefund: [
    "Refund the member's latest refundable charge",
    "A refund affects neither the subscription nor access. Without an `Idempotency-Key`, each request is a separate refund.",
  ],
  refundCharge: [
    "Refund one charge of the member",
    "A refund affects neither the subscription nor access. Without an `Idempotency-Key`, each request is a separate refund.",
  ],
  paymentHistory: "List a member's invoices with their charges",
  subscriptionDetails: [
    "Show a member's subscription as it is in Stripe, and update the stored record if it differs",
    "Reads the current state from Stripe.",
  ],
  activity: "List the activity of a member, newest first",
  importBatch: "Import up to 25 members from another system; safe to repeat",
} as const;
