import { describeFields } from "../values/documented.ts";
import { subscriptionDocs } from "./member-docs.ts";
import { ImportedMember, ImportedMembers, MemberImport, MembersImport, RefundImport } from "./member-import.ts";
import { refundDocs } from "./refund-docs.ts";

describeFields(MemberImport.entries.user, {
  id: [
    "Identifier of the user. Required only to keep the identifier of the other system, or to match a user by it.",
    5,
  ],
  email: ["Email address. Whoever signs in with it takes over the profile.", "ana@example.com"],
  username: ["Username.", "ana"],
  first_name: ["First name.", "Ana"],
  last_name: ["Last name.", "Ruiz"],
});

describeFields(RefundImport, refundDocs);

describeFields(MemberImport, {
  id: ["Identifier of the member in the other system. Generated from `created_at` if not given.", 6312],
  user: "The member's profile. It is matched by identifier or email address, and created if there is no match.",
  tier_id: ["Identifier of the member's tier in this community.", 11],
  status: "Status of the subscription.",
  created_at: ["Time at which the member joined. Lists are sorted by it.", "2026-08-03T09:30:00.000Z"],
  ...subscriptionDocs,
  shipping_address: "Address for shipments. `null` if none is known.",
  is_blocked: "Whether the member is blocked.",
  blocked_at: "Time at which the member was blocked. The time of the import if not given.",
  blocked_by: "Identifier of the user who blocked the member.",
  block_reason: "Why the member was blocked.",
  lifetime_spend_cents: [
    "Total amount paid minus refunds, in US cents. Payments in Stripe are added to it. Not allowed with a `stripe_customer_id`.",
    27_500,
  ],
  total_refunded_cents: ["Total amount refunded, in US cents. Not allowed with a `stripe_customer_id`.", 500],
  refunds: ["The newest 100 refunds. Not allowed with a `stripe_customer_id`.", []],
  metadata: ["`notes` and your own keys, in the format of the PATCH request.", { notes: "Prefers reposado" }],
  stripe_customer_id: [
    "Identifier of the customer in Stripe. The customer must exist and must not belong to another member. From the customer's next event on, the member is synchronized with Stripe.",
    "cus_QXg1o8vcGmoR32",
  ],
  stripe_subscription_id: [
    "Identifier of the customer's subscription, with any price. If not given, the customer's only live subscription with a price of the community is used, if there is one. The record is refused if there are several.",
    "sub_1TUQmN2eZvKYlo2C3w2e1r4t",
  ],
});

describeFields(MembersImport, {
  members: "The records to import. Each record is imported or refused independently of the others.",
});

describeFields(ImportedMember, {
  index: ["Index of the record in the request, starting at 0.", 0],
  id: ["Identifier of the member. `null` if the record was refused.", 6312],
  outcome:
    "`created`; `updated` if the record differs from an earlier import and the member has not been changed since; `unchanged`; or `refused`.",
  errors: "Why the record was refused.",
});

describeFields(ImportedMember.entries.errors.wrapped.item, {
  pointer: ["JSON Pointer (RFC 6901) to the invalid field of the body.", "/members/0/tier_id"],
  code: ["Error code, for programs.", "unknown_reference"],
  message: ["Error message, for people.", "must be a tier of the community"],
});

describeFields(ImportedMembers, {
  total: ["Number of records in the request.", 1],
  data: "Outcome of each record, in the order of the request.",
});
