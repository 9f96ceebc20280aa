import type { JsonSchema } from "@valibot/to-json-schema";
import { refined } from "./constraints.ts";

/** Of properties that mean the same wherever they stand. */
const common: Readonly<Record<string, string>> = {
  id: "Its id. Ids never change and are never used again.",
  created_at: "When it was made (ISO 8601, UTC).",
  updated_at: "When it last changed (ISO 8601, UTC).",
  total: "How many records there are in all, over all pages.",
  has_more: "Whether another page follows.",
  data: "The records of this page.",
  page: "The number of the page, from 1.",
  per: "How many records a page holds at most. Above 100 counts as 100.",
  cursor: "The `next_cursor` of the page before, for the same filters. Absent for the first page.",
  next_cursor: "The `cursor` of the next page; null on the last one.",
  community: "The community that it belongs to.",
  user: "The person, as of their profile.",
  name: "What it is called.",
  currency: "Three letters, lower case: always `usd`.",
  current_period_start: "When the period that is paid for began.",
  current_period_end: "When the period that is paid for ends.",
  cancel_at_period_end: "Whether the subscription ends with the present period.",
  cancel_at: "When the subscription will end; null where it goes on.",
  canceled_at: "When the cancellation was asked for.",
  ended_at: "When the subscription ended.",
  trial_start: "When the free trial began; null where there was none.",
  trial_end: "When the free trial ends; null where there is none.",
  hosted_invoice_url: "Stripe's page of the invoice, for the person who pays.",
  payment_method: "What it was paid with, as far as Stripe tells.",
  brand: "Of a card: `visa`, `mastercard`, …",
  last4: "The last four digits of the card.",
  exp_month: "The month in which the card expires, 1 to 12.",
  exp_year: "The year in which the card expires.",
};

/**
 * What each property and query parameter of a schema means. They stand here and not in the schemas, as those are part
 * of every function. `TierCreate` and `TierUpdate` take what they do not say themselves from `Tier`.
 */
export const descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Member: {
    status: "The subscription's state, as Stripe has it. Active, trialing and past due members are let in.",
    shipping_address: "Where parcels go; seven empty strings where no address is known.",
    metadata: "Figures and facts about the member, then your own keys.",
    "metadata.lifetime_spend_cents": "All that was paid, less what was refunded.",
    "metadata.blocked": "Whether the member is blocked.",
    "metadata.blocked_at": "Since when the member is blocked.",
    "metadata.blocked_by": "The id of the user who blocked the member.",
    "metadata.block_reason": "Why the member is blocked, as it was given.",
    "metadata.refunds": "The newest 100 refunds; the sums cover all of them.",
    "metadata.notes": "What the community's owner noted; empty where nothing was.",
    is_blocked: "Whether the member is blocked. A block ends access and leaves the subscription as it is.",
    block_reason: "Why the member is blocked, as it was given.",
    total_refunded: "All that was refunded, in US dollars.",
    total_refunded_cents: "All that was refunded.",
    lifetime_spend_cents: "All that was paid, less what was refunded.",
    requires_shipping_address: "Whether the member's tier needs an address.",
    has_shipping_address: "Whether there is an address.",
    membership_tier: "The tier that the member subscribes to.",
    "membership_tier.monthly_price_dollars":
      "What the tier costs new members a month. What this one pays is in the subscription's details.",
  },
  ShippingAddress: {
    name: "Whom it is addressed to.",
    line1: "Street and number.",
    line2: "Flat, floor, company.",
    city: "The town.",
    state: "State, province or region.",
    postal_code: "ZIP or postal code.",
    country: "Two letters, ISO 3166-1 alpha-2.",
  },
  AddressInput: {
    name: "Whom it is addressed to.",
    line1: "Street and number.",
    line2: "Flat, floor, company; may be empty.",
    city: "The town.",
    state: "State, province or region; may be empty.",
    postal_code: "ZIP or postal code; may be empty.",
    country: "Two letters, ISO 3166-1 alpha-2.",
  },
  Person: {
    id: "The user's id.",
    username: "The name to sign in with.",
    email: "The address of e-mails.",
    first_name: "The first name; may be empty.",
    last_name: "The last name; may be empty.",
  },
  RefundEntry: {
    refund_id: "Stripe's id of the refund, `re_…`; ours until Stripe has answered.",
    charge_id: "The charge that was refunded.",
    amount_cents: "How much was refunded.",
    reason: "Why. `unspecified` where a refund made at Stripe names no reason.",
    status: "How far Stripe is with it. All but `failed` and `canceled` count as refunded.",
    note: "What was noted with the request.",
    issued_at: "When it was asked for.",
    issued_by: "The id of the user who asked for it; null for a refund made at Stripe.",
  },
  MemberListQuery: {
    status: "Only members of this status.",
    tier_id: "Only members of this tier.",
    is_blocked: "Only members who are blocked, or who are not.",
    query: "The beginning of a name, username or e-mail address, in any case and with or without accents.",
    sort: "By when they joined, the newest first unless said otherwise. Cannot be given with `query`.",
  },
  MemberPage: {
    total: "How many members match the filters, up to a minute old; null with `query`, and until they are counted.",
  },
  MemberUpdate: {
    member: "What is to change; the rest stays.",
    "member.shipping_address": "A whole address; null forgets it. It is written to Stripe's customer too.",
    "member.metadata":
      "A JSON merge patch (RFC 7396) of `notes` (at most 5,000 characters) and your own keys: null removes one. " +
      "At most 50 keys of 40 characters, 16 KiB and five levels in all, numbers of at most 2^53 - 1; the keys that Odis keeps are read-only.",
  },
  BlockRequest: { reason: "Why, for those who manage the community." },
  CancellationRequest: {
    mode: "Whether access ends with the period that is paid for, or at once. Neither refunds anything.",
    feedback: "Why the person leaves, in Stripe's words.",
    comment: "Why the person leaves, in their own words.",
  },
  RefundRequest: {
    amount_cents: "How much; all that is left of the charge where absent.",
    reason: "Why. `fraudulent` is noted here and not told to Stripe, which would block the card.",
    note: "What you want to remember about it.",
  },
  ChargeRefundRequest: {
    charge_id: "The charge to refund, as the payment history shows it.",
    amount_cents: "How much; all that is left of the charge where absent.",
    reason: "Why. `fraudulent` is noted here and not told to Stripe, which would block the card.",
    note: "What you want to remember about it.",
  },
  RefundAnswer: { refund: "The refund that was made.", member: "The member after it." },
  Invoice: {
    id: "Stripe's id of the invoice.",
    number: "The number that is printed on it.",
    status: "Stripe's word: `draft`, `open`, `paid`, `uncollectible` or `void`.",
    total_cents: "What it comes to.",
    amount_paid_cents: "What was paid of it.",
    amount_due_cents: "What was asked for.",
    period_start: "When the period that it is for began.",
    period_end: "When the period that it is for ends.",
    paid_at: "When it was paid; null until then.",
    invoice_pdf: "Where it can be downloaded.",
    charges: "The attempts to pay it.",
  },
  Charge: {
    id: "Stripe's id of the charge.",
    status: "Stripe's word: `succeeded`, `pending` or `failed`.",
    amount_cents: "How much was charged.",
    amount_refunded_cents: "How much of it was refunded.",
    refundable_cents: "How much of it can still be refunded.",
    disputed: "Whether the person disputes it at their bank.",
    failure_message: "Why it failed, in Stripe's words.",
    "payment_method.type": "Stripe's word: `card`, `sepa_debit`, …",
    receipt_url: "Stripe's receipt.",
  },
  SubscriptionDetails: {
    id: "Stripe's id of the subscription.",
    status: "Stripe's own word, which has more of them than a member's status.",
    collection_method: "Whether Stripe charges by itself: `charge_automatically` or `send_invoice`.",
    price: "What this member pays.",
    "price.id": "Stripe's id of the price.",
    "price.unit_amount_cents": "What is paid for each interval.",
    "price.interval": "How often: `month`.",
    default_payment_method: "What the next invoice is paid with.",
    "default_payment_method.type": "Stripe's word: `card`, `sepa_debit`, …",
    latest_invoice: "The newest invoice.",
    "latest_invoice.id": "Stripe's id of the invoice.",
    "latest_invoice.status": "Stripe's word: `draft`, `open`, `paid`, `uncollectible` or `void`.",
    "latest_invoice.amount_due_cents": "What was asked for.",
    in_sync: "False where our copy differed. It has been repaired by this request.",
  },
  Activity: {
    at: "When it happened.",
    action: "What happened.",
    actor: "Who did it. `stripe`: seen at Stripe, done there or by the passing of time; `system`: by Odis itself.",
    "actor.type": "What kind of actor.",
    "actor.id": "The user's id, where it was one.",
    request_id: "The `x-request-id` of the request that did it.",
    before: "What was so before.",
    after: "What is so since.",
  },
  MembersImport: { members: "1 to 25 members of another system. Each is taken or refused by itself." },
  MemberImport: {
    id: "The id that the member has had; drawn from `created_at` where there is none.",
    user: "Who it is: someone known by id or e-mail address, or a person to make a profile for.",
    "user.id": "The person's id, where it is known or is to be kept.",
    "user.email": "The person's e-mail address. Whoever signs in with it takes the profile over.",
    "user.username": "What the person is called by others.",
    "user.first_name": "The person's first name.",
    "user.last_name": "The person's last name.",
    tier_id: "The tier of the community that the member is in.",
    status: "The subscription's state.",
    created_at: "When the member joined (ISO 8601). Members are listed by it.",
    shipping_address: "Where parcels go; null where no address is known.",
    is_blocked: "Whether the member is blocked.",
    blocked_at: "Since when; by default since the import.",
    blocked_by: "The id of the user who blocked the member.",
    block_reason: "Why the member is blocked.",
    lifetime_spend_cents: "All that was paid, less what was refunded.",
    total_refunded_cents: "All that was refunded.",
    refunds: "The newest 100 refunds.",
    metadata: "`notes`, and your own keys.",
    stripe_customer_id: "The customer at Stripe, from whose next event on the member is as Stripe has it.",
    stripe_subscription_id: "The customer's subscription.",
  },
  ImportedMembers: { total: "How many records were given.", data: "What became of each record, in their order." },
  ImportedMember: {
    index: "Which record it is, from 0.",
    id: "The member's id; null where the record was refused.",
    outcome:
      "`created`; `updated` where it differs from what was imported before and nobody has touched the member since; `unchanged`; or `refused`.",
    errors: "Why it was refused.",
    "errors.pointer": "The field of the body, as a JSON Pointer (RFC 6901).",
    "errors.code": "What is wrong with it, for programs.",
    "errors.message": "What is wrong with it, in words.",
  },
  Membership: {
    is_member: "Whether the caller counts as a member.",
    access: "Whether the caller is let in: all that an application needs to know.",
    "access.granted": "Whether the caller is let in.",
    "access.reason": "Why, or why not.",
    "access.until": "When access ends as things are; null where no end is known.",
    status: "The status of the caller's subscription; null where there never was one.",
    tier: "The caller's tier; null where there is none.",
    benefits: "The active benefits of the tier, in order; none while access is not granted.",
  },
  Community: {
    uuid: "Its id in discovery.",
    slug: "Its name in addresses: no two communities have the same. Made from the name where none is given.",
    owner_id: "The user who owns it. Only admins change it.",
    avatar_url: "An https address of a picture.",
    status: "An archived community is listed nowhere and takes no new members. Only admins change it.",
    trending: "Whether it is marked as trending.",
    trending_pin:
      "Puts the mark `on` or `off` whatever the figures say; null leaves it to them. Only admins change it.",
    member_count: "How many members are let in, up to a minute old.",
  },
  CommunityCreate: { community: "The new community." },
  CommunityUpdate: { community: "What is to change; the rest stays." },
  Stats: {
    total: "Members of every status.",
    member_count: "Members who are let in.",
    blocked: "Members who are blocked.",
    by_status: "Members by their status.",
    "by_status.active": "Who have paid.",
    "by_status.trialing": "In their free trial.",
    "by_status.past_due": "Whose payment failed and is tried again.",
    "by_status.unpaid": "Whose payment is no longer tried.",
    "by_status.canceled": "Whose subscription has ended.",
    "by_status.incomplete": "Whose first payment is not made yet.",
    by_tier: "Members by their tier: every tier, in order.",
    "by_tier.total": "Members of every status.",
    "by_tier.member_count": "Members who are let in.",
    monthly_recurring_revenue_cents: "What members who pay bring in a month, at their tier's present price.",
    joined_in_30_days: "People who were let in for the first time.",
    left_in_30_days: "Subscriptions that ended and were not taken up again.",
    refunded_in_30_days_cents: "What was refunded.",
  },
  Tier: {
    badge: "What discovery shows a member; the name where it is null.",
    position: "Its place among the tiers, the lowest first; one more than the highest where none is given.",
    monthly_price_dollars: "What it costs a month, in US dollars and whole cents: nothing, or 0.50 and more.",
    trial_days: "How many days are free at first.",
    requires_shipping_address: "Whether checkout asks for an address.",
    stripe_price_id: "Stripe's id of the present price.",
    status: "An archived tier takes no new members.",
  },
  TierCreate: { tier: "The new tier." },
  TierUpdate: { tier: "What is to change; the rest stays. A new price is for new members only." },
  TierListQuery: { status: "Which tiers to list." },
  CheckoutRequest: {
    tier_id: "The tier to subscribe to.",
    success_url: "Where people come back to once they have paid: of a configured origin.",
    cancel_url: "Where people come back to if they do not: of a configured origin.",
  },
  CheckoutSession: {
    id: "Stripe's id of the session.",
    url: "Stripe's page: send the person there.",
    expires_at: "Until when the page can be used.",
  },
  PortalRequest: { return_url: "Where people come back to: of a configured origin." },
  PortalSession: { url: "Stripe's page: send the person there." },
  Brand: {
    producer_ids: "The producers that it is linked to, each once, sorted: 1 to 40.",
  },
  BrandCreate: {
    brand: "The new brand.",
    "brand.producer_ids": "More producers to link it to, besides the one in the path.",
  },
  BrandUpdate: {
    brand: "What is to change; the rest stays.",
    "brand.producer_ids": "Replaces the links. The producer in the path may be left out, which unlinks it.",
  },
  BrandListQuery: { query: "Any part of the name, in any case and with or without accents." },
  Benefit: {
    description: "What members get; may be empty.",
    position: "Its place among the benefits, the lowest first; one more than the highest where none is given.",
    status: "An archived benefit is hidden from members.",
    tier_ids: "The tiers whose members get it.",
    tiers: "The same tiers, archived ones too, by their position.",
    "tiers.position": "The tier's place among the tiers.",
  },
  BenefitCreate: { benefit: "The new benefit." },
  BenefitUpdate: {
    benefit: "What is to change; the rest stays.",
    "benefit.tier_ids": "Replaces the assignment.",
  },
  BenefitListQuery: { status: "Which benefits to list.", tier_id: "Only benefits of this tier." },
  TierAssignment: { tier_ids: "The tiers whose members get it from now on. None unassigns it." },
  Listing: {
    slug: "Its name in addresses.",
    member_count: "How many members are let in, up to a minute old.",
    avatar_url: "A picture.",
    tier_badge: "What the caller's tier is called; null where they are no member.",
    is_member: "Whether the caller is a member.",
  },
  ListingQuery: {
    query: "Any part of the name, in any case and with or without accents.",
    filter: "`my_communities` needs a token.",
  },
  Health: { status: "Always `ok`.", version: "The version that answers." },
  Problem: {
    type: "Where this kind of problem is explained.",
    title: "What kind of problem it is, in words.",
    status: "The HTTP status.",
    code: "What kind of problem it is, for programs: the one to act on.",
    detail: "What happened this time.",
    request_id: "Names the request in our logs: the `x-request-id` of the answer.",
    errors: "What is wrong with each field of the body or parameter of the query.",
    "errors.pointer": "The field of the body, as a JSON Pointer (RFC 6901).",
    "errors.parameter": "The query parameter or header.",
    "errors.code": "What is wrong with it, for programs.",
    "errors.message": "What is wrong with it, in words.",
    refundable_cents: "Of `amount_exceeds_refundable`: how much could be refunded.",
    processor_code: "Of `payment_processor_refused`: Stripe's error code; null where Stripe gives none.",
  },
};

/**
 * What a property or parameter means.
 *
 * @throws Error for one that nobody has described
 */
export function textOf(schema: string, path: string): string {
  const [first = "", ...rest] = path.split(".");
  const record = first.charAt(0).toUpperCase() + first.slice(1);
  const text =
    descriptions[schema]?.[path] ?? descriptions[record]?.[rest.join(".")] ?? common[path.split(".").at(-1) ?? ""];
  if (text === undefined) throw new Error(`tools/build/openapi/descriptions.ts does not say what ${schema}.${path} is`);
  return path.endsWith("_cents") ? `${text} In whole US cents.` : text;
}

/** A schema with all of its properties described. */
export function described(name: string, schema: JsonSchema, path = ""): JsonSchema {
  const { properties, items, anyOf } = schema;
  const inner = (part: unknown): JsonSchema => described(name, part as JsonSchema, path);
  return {
    ...schema,
    ...(items !== undefined && { items: inner(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(inner) }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([property, part]) => {
          const at = path === "" ? property : `${path}.${property}`;
          const shown = { ...described(name, part as JsonSchema, at), ...refined(name, at) };
          return [property, { ...shown, description: textOf(name, at) }];
        }),
      ),
    }),
  };
}
