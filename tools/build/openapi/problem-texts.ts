import type { IssueCode, ProblemCode } from "#lib/problem.ts";

type Text = { readonly happened: string; readonly todo: string };

const wait = "Wait for the time in `Retry-After`, then retry. A POST with an `Idempotency-Key` takes effect only once.";

/** The explanation of each problem. It is kept out of `lib/problem.ts` so that it is not bundled with the functions. */
export const problemTexts: Readonly<Record<ProblemCode, Text>> = {
  malformed_json: {
    happened: "The body is not JSON, or it is JSON but not an object.",
    todo: "Send one JSON object in UTF-8. If there is nothing to send, send `{}` or no body.",
  },
  invalid_signature: {
    happened: "The signature of the webhook does not match its body, or is too old.",
    todo: "Check that the endpoint's signing secret in Stripe is the one that is configured here.",
  },
  missing_token: {
    happened: "The request has no token, or nothing follows `Bearer`, and the route requires a token.",
    todo: "Sign in and send `Authorization: Bearer <access token>`.",
  },
  invalid_token: {
    happened:
      "The token is not a valid access token: it is malformed, from another user pool or client, or an ID token. Or it is an API key that is incomplete, unknown, revoked or expired, or that ended with a change of owner or a restore.",
    todo: "Send the access token from the sign-in, not the ID token, as `Authorization: Bearer <access token>`. Replace an API key that is no longer valid by a new one.",
  },
  expired_token: {
    happened: "The token was valid, but has expired.",
    todo: "Get a new access token with the refresh token, then retry.",
  },
  insufficient_user_authentication: {
    happened: "The caller signed in too long ago for this request. Refreshing the token does not help.",
    todo: "Have the person sign in again, then retry with the new access token within 10 minutes.",
  },
  forbidden: {
    happened:
      "The token is valid, but its user lacks the right: they neither own the community nor have a role in its team that allows this, or are not in the required group. Or the token is an API key, and the route is not one of its community that its role allows. `detail` says who has the right.",
    todo: "Send the request as somebody who has the right, and requests to public routes without an API key. A change of owner or role takes effect immediately.",
  },
  not_found: {
    happened:
      "No record has this path. A record that belongs to another community or producer is also reported as not found.",
    todo: "Check the id that `detail` names. Ids of brands and producers are UUIDs; all others are positive integers. `GET /odis/v1/communities?slug=…` finds the id of a community.",
  },
  route_not_found: {
    happened: "No route has this path.",
    todo: "Compare the path with the reference. Paths have no trailing slash, and the version is their second part, as in `/odis/v1`.",
  },
  method_not_allowed: {
    happened: "The path exists but does not support this method.",
    todo: "Use one of the methods in the `Allow` header.",
  },
  subscription_already_canceled: {
    happened: "The subscription has ended, so it can be neither canceled nor resumed.",
    todo: "Nothing. To come back, the person opens a new checkout.",
  },
  not_scheduled_to_cancel: {
    happened: "The subscription is not scheduled to end, so there is no cancellation to withdraw.",
    todo: "Nothing: the subscription continues.",
  },
  nothing_to_change: {
    happened: "The member already has this tier and interval, although perhaps at an older price.",
    todo: "Choose another tier or interval. To drop a scheduled change, send `DELETE …/scheduled_change`.",
  },
  cancel_scheduled: {
    happened: "The end of the subscription is scheduled, so there is no next period to change.",
    todo: "Withdraw the cancellation first, then change the subscription.",
  },
  payment_overdue: {
    happened: "A payment of the subscription has failed and is being retried.",
    todo: "Have the member pay the open invoice or change the card, then change the subscription.",
  },
  subscription_not_managed: {
    happened:
      "Odis cannot change this subscription: it is not in Stripe or not active, has several items, a quantity or a price that is not one of the community's, or a subscription schedule that Odis did not make.",
    todo: "Change the subscription in Stripe's dashboard.",
  },
  preview_expired: {
    happened:
      "The preview is more than 10 minutes old, was confirmed before, is of another request, or no longer applies.",
    todo: "Request another preview with `dry_run`, show it to the person, and send its `preview_id`.",
  },
  too_many_changes: {
    happened: "The subscription was changed five times in the last 24 hours.",
    todo: "Wait until tomorrow.",
  },
  period_ended: {
    happened: "The membership has no subscription in Stripe, and the end of its period has passed.",
    todo: "To end the membership, cancel it with the mode `immediately`.",
  },
  no_subscription: {
    happened: "The member has no subscription in Stripe: they were imported, or never completed a checkout.",
    todo: "Have the person subscribe through a checkout session.",
  },
  nothing_to_refund: {
    happened: "None of the member's charges can be refunded any further.",
    todo: "Check `refundable_cents` in the payment history.",
  },
  charge_already_refunded: {
    happened: "The charge has already been refunded in full.",
    todo: "Nothing, or choose another charge from the payment history.",
  },
  charge_disputed: {
    happened: "The person has disputed the charge with their bank. Stripe does not refund a disputed charge.",
    todo: "Respond to the dispute in Stripe, or accept it.",
  },
  request_in_progress: {
    happened: "The same request, or another refund of the same charge, is still running.",
    todo: wait,
  },
  already_in_team: {
    happened: "The person owns the community or is in its team.",
    todo: "To change what they may do, change their role.",
  },
  already_a_member: {
    happened: "The caller has a live subscription in this community.",
    todo: "Open the billing portal, where the caller manages the subscription.",
  },
  member_blocked: {
    happened: "The person is blocked in this community.",
    todo: "Unblock the person first, if appropriate.",
  },
  community_archived: {
    happened: "The community is archived and takes no new members.",
    todo: "An admin can set its `status` to `active`.",
  },
  tier_in_use: {
    happened: "A checkout has been opened for the tier, or a member or benefit refers to it.",
    todo: 'Archive it instead: PATCH it with `{"tier":{"status":"archived"}}`.',
  },
  slug_taken: {
    happened: "Another community uses this slug.",
    todo: "Choose another slug, or omit it to have one generated.",
  },
  cannot_block_owner: {
    happened: "The member owns the community.",
    todo: "Have an admin transfer the community to another owner first.",
  },
  payment_processor_refused: {
    happened:
      "Stripe rejected the request because of the state of its own data. `processor_code` is Stripe's error code. Nothing was changed.",
    todo: "Look up the code at https://docs.stripe.com/error-codes, fix the cause, and send the same request again.",
  },
  erasure_blocked: {
    happened:
      "The person still has subscriptions, payments or communities that prevent the erasure. `blockers` lists them. Nothing was erased.",
    todo: "Cancel the subscriptions, wait until payments, refunds and disputes are settled, and transfer the person's communities to other owners.",
  },
  person_erased: {
    happened: "The person's data was erased, so their records can no longer be changed.",
    todo: "Nothing. The data that accounting requires is kept and can be read.",
  },
  destination_disabled: {
    happened: "The event destination is disabled, so nothing is sent to it.",
    todo: 'Enable it with `PATCH {"event_destination": {"status": "enabled"}}`. A ping reaches a disabled destination too.',
  },
  stale_record: {
    happened: "The record has changed since you read the `ETag` in `If-Match`. Nothing was written.",
    todo: "Read the record again, check that the change still applies, and send it with the new `ETag`.",
  },
  body_too_large: {
    happened: "The body exceeds 64 KiB, or 256 KiB for a webhook.",
    todo: "Send less data. Above 10 MB, the gateway itself rejects the request, without a problem document.",
  },
  unsupported_media_type: {
    happened: "The `Content-Type` is not JSON.",
    todo: "Send `Content-Type: application/json`.",
  },
  validation_failed: {
    happened: "The request could be read, but some of its values are not valid. Nothing was written.",
    todo: "Each entry of `errors` has the `pointer` of a field, or the name of a query parameter, and what is wrong with it. The codes of the entries are listed at the end of this page.",
  },
  invalid_cursor: {
    happened: "The cursor was altered, or belongs to another list, other filters or another sort order.",
    todo: "Start again without a cursor. Send each `next_cursor` unchanged, with the same filters.",
  },
  limit_reached: {
    happened: "The maximum number of these records is reached. `detail` has the limit.",
    todo: "Delete some that you no longer need.",
  },
  idempotency_key_reused: {
    happened: "The `Idempotency-Key` was used with another body within the last 24 hours.",
    todo: "Use a new key for each new request. Reuse a key only to repeat the identical request.",
  },
  unknown_tier: {
    happened: "The tier does not belong to this community, or is archived and takes no new members.",
    todo: "Use one of the community's tiers.",
  },
  amount_exceeds_refundable: {
    happened: "The amount exceeds what can still be refunded of the charge.",
    todo: "Refund at most `refundable_cents`, or omit the amount to refund all that is left.",
  },
  too_many_requests: {
    happened:
      "The caller exceeded a rate limit for requests that move money, block members, call Stripe, ping event destinations or resend events, two pings of the community are waiting for a response, or a time span is already being resent to the destination.",
    todo: wait,
  },
  internal: {
    happened: "A defect in Odis. It is logged with the `request_id`, and raises an alarm if it recurs.",
    todo: "Retry once. If the error persists, report the `request_id`.",
  },
  payment_processor_error: {
    happened:
      "Stripe failed, or rejected the credentials of Odis. An operation that had started is completed when the request is repeated, or automatically.",
    todo: wait,
  },
  outcome_unknown: {
    happened:
      "The request may have changed something at Stripe, and could not be completed. The record may have changed since the request began.",
    todo: "Read the record. If the change is missing, repeat the request, with the same `Idempotency-Key` if it is a POST.",
  },
  payment_processor_unavailable: {
    happened:
      "Stripe could not be reached. An operation that had started is completed when the request is repeated, or automatically.",
    todo: wait,
  },
  unavailable: {
    happened: "The database or the sign-in service could not be reached, or too many requests write the same record.",
    todo: wait,
  },
  timeout: {
    happened:
      "The request took too long. An operation that had started is completed when the request is repeated, or automatically.",
    todo: wait,
  },
};

/** The explanation of each code of `errors[]`. */
export const issueTexts: Readonly<Record<IssueCode, string>> = {
  required: "The field is missing.",
  unknown_property: "The field or query parameter does not exist here. Check its spelling.",
  wrong_type: "The value has the wrong JSON type, such as a string instead of a number.",
  invalid_format: "The value has the right type but not the right form, such as a date that is not ISO 8601.",
  too_short: "The text has too few characters.",
  too_long: "The text has too many characters.",
  too_small: "The number is below the minimum.",
  too_large: "The number is above the maximum, or the object is too large in bytes.",
  too_few: "The list has too few items.",
  too_many: "The list has too many items, or the object has too many keys.",
  not_one_of: "The value is not one of the allowed values.",
  not_allowed: "The value is well-formed but not allowed here.",
  read_only: "The record has this field, but requests cannot set it.",
  duplicate: "The query parameter occurs twice.",
  conflicts: "The value conflicts with another field.",
  too_deep: "The value has too many levels of nesting.",
  unknown_reference: "No record with this identifier exists.",
  in_the_future: "The time is later than now.",
  foreign_origin: "The URL does not belong to a configured origin.",
  already_a_member: "The person is already a member, and was not imported or has changed since the import.",
  id_taken: "Another member has this identifier.",
  other_member: "The person is a member with another identifier, or another record of the request makes them one.",
  other_user: "The identifier and the email address belong to different people.",
  other_customer: "The Stripe customer belongs to another member, or the member has another Stripe customer.",
  unknown_customer: "Stripe does not know the customer.",
  ambiguous_subscription: "The Stripe customer has several live subscriptions to this community. Specify one of them.",
  cannot_block_owner: "The owner of a community cannot be blocked.",
  person_erased: "The person's data was erased.",
};
