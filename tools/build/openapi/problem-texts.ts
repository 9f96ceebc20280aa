import type { IssueCode, ProblemCode } from "#lib/problem.ts";

type Text = { readonly happened: string; readonly todo: string };

const wait = "Wait as long as `Retry-After` says and ask again. A POST that carries an `Idempotency-Key` is done once.";

/** What the reference says of each problem, beside the catalogue of `lib/problem.ts`, which functions carry. */
export const problemTexts: Readonly<Record<ProblemCode, Text>> = {
  malformed_json: {
    happened: "The body is not JSON, or it is JSON but not an object.",
    todo: "Send one JSON object in UTF-8. Where nothing is to be said, send `{}` or no body at all.",
  },
  invalid_signature: {
    happened: "The body of the webhook is not what Stripe signed, or it was signed too long ago.",
    todo: "Compare the endpoint's signing secret at Stripe with the one that is configured here.",
  },
  missing_token: {
    happened: "The request carries no token, and the route is not for anonymous callers.",
    todo: "Sign in and send `Authorization: Bearer <access token>`.",
  },
  invalid_token: {
    happened: "The token is not an access token of ours: malformed, of another pool or client, or an ID token.",
    todo: "Send the access token that signing in gave you, not the ID token, with the word `Bearer` before it.",
  },
  expired_token: {
    happened: "The token was right, and its hour is over.",
    todo: "Exchange the refresh token for a new access token and ask again.",
  },
  insufficient_user_authentication: {
    happened: "The caller signed in too long ago for this request. Refreshing the token does not help.",
    todo: "Let the person sign in again, and repeat the request with the new access token within 10 minutes.",
  },
  forbidden: {
    happened:
      "The token is right, and its user may not do this: another one owns the community, or a group is missing.",
    todo: "Ask as the community's owner or as an admin. Rights are read with the data, so a new owner has them at once.",
  },
  not_found: {
    happened: "There is no such record under this path. A record of another community or producer is not found either.",
    todo: "Look at each id of the path. Ids of brands and producers are UUIDs, all others are positive integers.",
  },
  route_not_found: {
    happened: "No route has this path.",
    todo: "Compare the path with the reference: no trailing slash, and the version after the first word.",
  },
  method_not_allowed: {
    happened: "The path exists and does not take this method.",
    todo: "Use one of the methods that `Allow` lists.",
  },
  subscription_already_canceled: {
    happened: "The subscription has ended, so there is nothing left to cancel or to keep.",
    todo: "Nothing. Whoever wants to come back opens a new checkout.",
  },
  not_scheduled_to_cancel: {
    happened: "The subscription goes on, so there is no cancellation to take back.",
    todo: "Nothing.",
  },
  no_subscription: {
    happened: "The member was imported, or has never finished a checkout: Stripe knows no subscription of theirs.",
    todo: "Let the person subscribe through a checkout session.",
  },
  nothing_to_refund: {
    happened: "No paid charge of the member has anything left to refund.",
    todo: "Look at `refundable_cents` in the payment history.",
  },
  charge_already_refunded: {
    happened: "All of this charge has been given back.",
    todo: "Nothing, or choose another charge in the payment history.",
  },
  charge_disputed: {
    happened: "The person disputes the charge at their bank, and Stripe does not refund it meanwhile.",
    todo: "Answer or accept the dispute at Stripe.",
  },
  request_in_progress: {
    happened: "The same request, or another refund of the same charge, is being done at this moment.",
    todo: wait,
  },
  already_a_member: {
    happened: "The person has a live subscription in this community.",
    todo: "Open the billing portal, where the subscription can be changed.",
  },
  member_blocked: {
    happened: "The person is blocked in this community.",
    todo: "Unblock them first, if that is right.",
  },
  community_archived: {
    happened: "The community is archived and takes no new members.",
    todo: "An admin can set its `status` to `active`.",
  },
  tier_in_use: {
    happened: "A checkout was opened on the tier once, or a member or a benefit refers to it.",
    todo: 'Archive it instead: PATCH it with `{"tier":{"status":"archived"}}`.',
  },
  slug_taken: {
    happened: "Another community has this slug.",
    todo: "Choose another one, or leave it out to get one that is free.",
  },
  cannot_block_owner: {
    happened: "The member owns the community.",
    todo: "Let an admin give the community to somebody else first.",
  },
  payment_processor_refused: {
    happened:
      "Stripe refuses the request for a reason that lies in its own data; `processor_code` is Stripe's error code. Nothing has changed.",
    todo: "Look the code up at https://docs.stripe.com/error-codes, put right what it names, and send the same request again.",
  },
  erasure_blocked: {
    happened: "Something of the person is still running; `blockers` lists what. Nothing was erased.",
    todo: "End each subscription, wait until payments, refunds and disputes are settled, and give their communities to somebody else.",
  },
  person_erased: {
    happened: "The person's data was erased, so nothing can be changed about them any more.",
    todo: "Nothing. What accounting needs is kept and can be read.",
  },
  stale_record: {
    happened: "The record has changed since you read the `ETag` that `If-Match` names. Nothing was written.",
    todo: "Read the record again, decide again, and send the new `ETag`.",
  },
  body_too_large: {
    happened: "The body is larger than 64 KiB; of a webhook, 256 KiB.",
    todo: "Send less. Above 10 MB the gateway answers by itself, without a problem document.",
  },
  unsupported_media_type: {
    happened: "The body is not declared as JSON.",
    todo: "Send `Content-Type: application/json`.",
  },
  validation_failed: {
    happened: "The request can be read, and something in it is not as it must be. Nothing was written.",
    todo: "Each entry of `errors` names a field by its `pointer`, or a query parameter, and says what is wrong with it.",
  },
  invalid_cursor: {
    happened: "The cursor was altered, or it was given for another list, other filters or another order.",
    todo: "Begin again without a cursor, and pass on `next_cursor` as it is with the same filters.",
  },
  limit_reached: {
    happened: "There are as many of these as there can be; `detail` says how many.",
    todo: "Remove some that are not needed.",
  },
  idempotency_key_reused: {
    happened: "The `Idempotency-Key` came with another body within the last 24 hours.",
    todo: "Use a new key for each new request, and the old one only to repeat the very same request.",
  },
  unknown_tier: {
    happened: "A tier is not one of this community, or it is archived and takes no new members.",
    todo: "Choose among the community's tiers.",
  },
  amount_exceeds_refundable: {
    happened: "The amount is more than what is left of the charge.",
    todo: "Refund at most `refundable_cents`, or leave the amount out to refund all that is left.",
  },
  too_many_requests: {
    happened: "The caller made more requests that move money, block people or ask Stripe than the rate limit allows.",
    todo: wait,
  },
  internal: {
    happened: "A defect of ours. It is logged under the `request_id`, and somebody is told.",
    todo: "Ask again once. If it stays, report the `request_id`.",
  },
  payment_processor_error: {
    happened: "Stripe failed, or refused our credentials. What was begun is finished by the repetition or by itself.",
    todo: wait,
  },
  payment_processor_unavailable: {
    happened: "Stripe could not be reached. What was begun is finished by the repetition or by itself.",
    todo: wait,
  },
  unavailable: {
    happened: "The database or the sign-in could not be reached, or too many others write the same record.",
    todo: wait,
  },
  timeout: {
    happened: "The request took longer than it may. What was begun is finished by the repetition or by itself.",
    todo: wait,
  },
};

/** What the reference says of each code of `errors[]`. */
export const issueTexts: Readonly<Record<IssueCode, string>> = {
  required: "The field is missing.",
  unknown_property: "The field or query parameter does not exist here. Check its spelling.",
  wrong_type: "The value has another JSON type than the field, such as a text for a number.",
  invalid_format: "The value has the right type but not the right form, such as a date that is not ISO 8601.",
  too_short: "The text has too few characters.",
  too_long: "The text has too many characters.",
  too_small: "The number is below the minimum.",
  too_large: "The number is above the maximum, or the object takes too many bytes.",
  too_few: "The list has too few items.",
  too_many: "The list has too many items, or the object has too many keys.",
  not_one_of: "The value is not one of those that the field takes.",
  not_allowed: "The value is not allowed here, though its form is right.",
  read_only: "The field is shown but cannot be written.",
  duplicate: "The query parameter is given twice.",
  conflicts: "The value does not go together with that of another field.",
  too_deep: "The value has too many levels.",
  unknown_reference: "There is no record with this identifier that the field could refer to.",
  in_the_future: "The time is later than now.",
  foreign_origin: "The URL is not of a configured origin.",
  already_a_member: "The person is a member who was not imported, or who has changed since.",
  id_taken: "The identifier is that of another member.",
  other_member: "The person is, or will be, a member with another identifier.",
  other_user: "The identifier and the email address are those of two people.",
  other_customer: "The Stripe customer belongs to another member, or the person to another customer.",
  unknown_customer: "Stripe does not know the customer.",
  ambiguous_subscription: "The Stripe customer has several live subscriptions to this community. Name one of them.",
  cannot_block_owner: "The owner of a community cannot be blocked in it.",
  person_erased: "The person's data was erased.",
};
