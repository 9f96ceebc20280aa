import type { Json } from "#lib/domain/metadata.ts";

/** One of each: a test holds them against the schemas, and the document shows them. */
const at = { created_at: "2026-08-03T09:30:00.000Z", updated_at: "2026-11-03T09:30:12.000Z" };
const period = { current_period_start: "2026-11-03T09:30:00.000Z", current_period_end: "2026-12-03T09:30:00.000Z" };
const community = { id: 1, name: "Mezcal Circle" };
const brandId = "0197a5b2-6f3e-7c41-9a55-1d2b3c4d5e6f";
const producerId = "0d1f5d0a-7f5e-4a3b-8a53-5d9b1c6e0001";
const card = { type: "card", brand: "visa", last4: "4242" };

/** Of a path, by the word before it. Communities, tiers and producers are those of the local stack's demo data. */
export const ids: Readonly<Record<string, Json>> = {
  communities: community.id,
  members: 6312,
  tiers: 11,
  benefits: 21,
  producers: producerId,
  brands: brandId,
};

const address = {
  name: "Ana Ruiz",
  line1: "118 Calle de Alcalá",
  line2: "",
  city: "Madrid",
  state: "Madrid",
  postal_code: "28009",
  country: "ES",
};

const refund = {
  refund_id: "re_3TUQmN2eZvKYlo2C1a2b3c4d",
  charge_id: "ch_3TUQmN2eZvKYlo2C0z9y8x7w",
  amount_cents: 500,
  reason: "requested_by_customer",
  status: "succeeded",
  note: "Bottle arrived broken",
  issued_at: "2026-11-05T16:20:00.000Z",
  issued_by: 3,
};

const importedMember = {
  id: 6312,
  user: { email: "ana.ruiz@example.com", username: "anar", first_name: "Ana", last_name: "Ruiz" },
  tier_id: 11,
  status: "active",
  created_at: at.created_at,
  ...period,
  lifetime_spend_cents: 9500,
};

const member = {
  id: 6312,
  status: "active",
  ...period,
  cancel_at_period_end: false,
  cancel_at: null,
  trial_start: null,
  trial_end: null,
  canceled_at: null,
  ended_at: null,
  shipping_address: address,
  metadata: {
    lifetime_spend_cents: 9500,
    blocked: false,
    blocked_at: null,
    blocked_by: null,
    block_reason: null,
    refunds: [refund],
    notes: "Prefers reposado",
    shirt_size: "M",
  },
  is_blocked: false,
  block_reason: null,
  total_refunded: 5,
  total_refunded_cents: 500,
  lifetime_spend_cents: 9500,
  requires_shipping_address: true,
  has_shipping_address: true,
  user: { id: 5, username: "ana", email: "ana@example.com", first_name: "Ana", last_name: "Ruiz" },
  membership_tier: { id: 11, name: "Reserva", monthly_price_dollars: 25 },
  community,
  ...at,
};

const tier = {
  id: 11,
  name: "Reserva",
  badge: "Reserva",
  position: 1,
  monthly_price_dollars: 25,
  trial_days: 0,
  requires_shipping_address: true,
  stripe_price_id: "price_1TUQmN2eZvKYlo2C5e6f7g8h",
  status: "active",
  ...at,
};

const benefit = {
  id: 21,
  name: "A bottle each quarter",
  description: "Chosen by the maestro, sent to your door.",
  position: 1,
  status: "active",
  tier_ids: [11],
  tiers: [{ id: 11, name: "Reserva", position: 1 }],
  community,
  ...at,
};

const brand = { id: brandId, name: "Casa Ruiz", producer_ids: [producerId], ...at };

const activity = {
  id: 7301,
  at: "2026-11-05T16:20:01.000Z",
  action: "refunded",
  actor: { type: "user", id: 3 },
  request_id: "FiX2xhRSFiAEMgw=",
  before: null,
  after: { amount_cents: 500, charge_id: refund.charge_id },
};

const charge = {
  id: refund.charge_id,
  status: "succeeded",
  amount_cents: 2500,
  amount_refunded_cents: 500,
  refundable_cents: 2000,
  disputed: false,
  failure_message: null,
  payment_method: card,
  receipt_url: "https://pay.stripe.com/receipts/example",
  created_at: "2026-11-03T09:30:10.000Z",
};

const invoice = {
  id: "in_1TUQmN2eZvKYlo2C9i8u7y6t",
  number: "ODIS-0042",
  status: "paid",
  currency: "usd",
  total_cents: 2500,
  amount_paid_cents: 2500,
  amount_due_cents: 2500,
  period_start: period.current_period_start,
  period_end: period.current_period_end,
  created_at: "2026-11-03T09:30:00.000Z",
  paid_at: "2026-11-03T09:30:11.000Z",
  hosted_invoice_url: "https://invoice.stripe.com/i/example",
  invoice_pdf: "https://pay.stripe.com/invoice/example/pdf",
  charges: [charge],
};

const listing = {
  id: "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f",
  name: "Mezcal Circle",
  slug: "mezcal-circle",
  member_count: 1200,
  avatar_url: "https://images.example.com/mezcal-circle.jpg",
  tier_badge: "Reserva",
  is_member: true,
};

const pageOf = (record: Json) => ({ total: 1, has_more: false, page: 1, per: 20, data: [record] });
const last = { has_more: false, next_cursor: null };
const reply = "https://app.example.com/joined";

export const examples: Readonly<Record<string, Json>> = {
  Member: member,
  MemberPage: { total: 1, ...last, data: [member] },
  MemberUpdate: { member: { shipping_address: address, metadata: { notes: "Prefers reposado", shirt_size: "M" } } },
  BlockRequest: { reason: "Resells the bottles" },
  CancellationRequest: { mode: "at_period_end", feedback: "too_expensive", comment: "Perhaps next year" },
  Nothing: {},
  RefundRequest: { amount_cents: 500, note: "Bottle arrived broken" },
  ChargeRefundRequest: { charge_id: refund.charge_id, amount_cents: 500, note: "Bottle arrived broken" },
  RefundAnswer: { refund, member },
  PaymentHistoryPage: { ...last, data: [invoice] },
  ActivityPage: { ...last, data: [activity] },
  SubscriptionDetails: {
    id: "sub_1TUQmN2eZvKYlo2C3w2e1r4t",
    status: "active",
    ...period,
    trial_start: null,
    trial_end: null,
    cancel_at_period_end: false,
    cancel_at: null,
    canceled_at: null,
    ended_at: null,
    collection_method: "charge_automatically",
    price: { id: tier.stripe_price_id, unit_amount_cents: 2500, currency: "usd", interval: "month" },
    default_payment_method: { ...card, exp_month: 12, exp_year: 2030 },
    latest_invoice: {
      id: invoice.id,
      status: "paid",
      amount_due_cents: 2500,
      hosted_invoice_url: invoice.hosted_invoice_url,
    },
    in_sync: true,
  },
  Membership: {
    is_member: true,
    access: { granted: true, reason: "active", until: null },
    status: "active",
    tier,
    benefits: [benefit],
    current_period_end: period.current_period_end,
    cancel_at_period_end: false,
  },
  Community: {
    id: 1,
    uuid: listing.id,
    name: listing.name,
    slug: listing.slug,
    owner_id: 3,
    avatar_url: listing.avatar_url,
    status: "active",
    trending: true,
    trending_pin: null,
    member_count: 1200,
    ...at,
  },
  CommunityCreate: { community: { name: "Raicilla Friends", owner_id: 3 } },
  CommunityUpdate: { community: { name: "Friends of Raicilla" } },
  MembersImport: { members: [importedMember] },
  MemberImport: importedMember,
  ImportedMembers: { total: 1, data: [{ index: 0, id: 6312, outcome: "created" }] },
  ImportedMember: { index: 0, id: 6312, outcome: "created" },
  Stats: {
    total: 1310,
    member_count: 1200,
    blocked: 4,
    by_status: { active: 1150, trialing: 30, past_due: 20, unpaid: 10, canceled: 95, incomplete: 5 },
    by_tier: [{ id: 11, name: "Reserva", total: 1310, member_count: 1200 }],
    monthly_recurring_revenue_cents: 2925000,
    joined_in_30_days: 84,
    left_in_30_days: 12,
    refunded_in_30_days_cents: 7500,
  },
  Tier: tier,
  TierPage: pageOf(tier),
  TierCreate: { tier: { name: "Añejo", monthly_price_dollars: 49.5, requires_shipping_address: true } },
  TierUpdate: { tier: { badge: "Gold" } },
  CheckoutRequest: { tier_id: 11, success_url: reply, cancel_url: "https://app.example.com/tiers" },
  CheckoutSession: {
    id: "cs_test_a1b2c3d4e5f6",
    url: "https://checkout.stripe.com/c/pay/cs_test_a1b2c3d4e5f6",
    expires_at: "2026-11-06T16:20:00.000Z",
  },
  PortalRequest: { return_url: "https://app.example.com/account" },
  PortalSession: { url: "https://billing.stripe.com/p/session/example" },
  Brand: brand,
  BrandPage: pageOf(brand),
  BrandCreate: { brand: { name: "Casa Ruiz" } },
  BrandUpdate: { brand: { name: "Casa Ruiz e Hijas" } },
  Benefit: benefit,
  BenefitPage: pageOf(benefit),
  BenefitCreate: { benefit: { name: "A bottle each quarter", tier_ids: [11] } },
  BenefitUpdate: { benefit: { description: "Chosen by the maestro, sent to your door." } },
  TierAssignment: { tier_ids: [11] },
  ListingPage: pageOf(listing),
  Health: { status: "ok", version: "1.0.0" },
};
