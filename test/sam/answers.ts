import { expect } from "vitest";
import type { Local, Records } from "../../tools/scripts/sam/records.ts";

/** The expected response body of each route's example, as far as the demo's data determines it. */
export const answersTo = (found: Records, { users }: Local): Readonly<Record<string, object | undefined>> => ({
  DiscoveryExplore: { total: 1, data: [{ name: "Mezcal Circle", is_member: true, tier_badge: "Barrel Owner" }] },

  MembersList: { has_more: true, data: [{ status: "active" }, { status: "active" }] },
  MembersShow: { id: found.member, status: "active", user: { id: users.member }, membership_tier: { id: 12 } },
  MembersUpdate: { id: found.member, metadata: { notes: "Prefers joven", bottle: 7 } },
  MembersActivity: { data: [{ action: "edited" }, { action: "status_changed" }, { action: "joined" }] },
  MembersBlock: { id: found.paying, is_blocked: true, metadata: { block_reason: "Resold member bottles" } },
  MembersUnblock: { id: found.blocked, is_blocked: false },
  MembersCancelSubscription: { id: found.alsoPaying, status: "active", cancel_at_period_end: true },
  MembersUncancelSubscription: { id: found.canceling, status: "active", cancel_at_period_end: false, cancel_at: null },
  MembersIssueRefund: { refund: { amount_cents: 500, issued_by: users.owner }, member: { id: found.member } },
  MembersRefundCharge: {
    refund: { amount_cents: 100, charge_id: found.charge },
    member: { total_refunded_cents: 600 },
  },
  MembersPaymentHistory: { has_more: true, data: [{ status: "paid" }, { status: "paid" }, { status: "paid" }] },
  MembersSubscriptionDetails: { status: "active", in_sync: true, price: { unit_amount_cents: 2500 } },

  MembersImportBatch: { total: 1, data: [{ index: 0, outcome: "created" }] },

  MembershipShow: { is_member: true, access: { granted: true, reason: "active" }, tier: { id: 12 } },
  MembershipPaymentHistory: { has_more: true, data: [{ status: "paid" }, { status: "paid" }] },
  MembershipCancelSubscription: {
    member_id: found.member,
    access: { reason: "canceling" },
    cancel_at_period_end: true,
  },
  MembershipUncancelSubscription: { member_id: found.member, access: { reason: "active" }, cancel_at: null },

  SubscriptionsChange: { status: "scheduled", member: { id: found.member, scheduled_change: { tier: { id: 11 } } } },
  SubscriptionsChangeOwn: {
    status: "scheduled",
    charged_now_cents: 0,
    membership: { member_id: found.member, scheduled_change: { tier: { id: 11 } } },
  },
  SubscriptionsDropScheduledChange: { id: found.changing, scheduled_change: null },
  SubscriptionsDropOwnScheduledChange: { member_id: found.member, scheduled_change: null },

  MeShow: { user: { id: users.member }, memberships: [{ member_id: found.member }] },
  MeData: { profile: { id: users.member }, memberships: [{ member_id: found.member }] },
  MeErase: { erased: false, dry_run: true, blockers: [{ code: "live_subscription" }] },
  UsersList: { data: [{ id: users.member }] },
  UsersData: { profile: { id: users.member } },
  UsersErase: { erased: false, dry_run: true, blockers: [{ member_id: found.member }] },

  CommunitiesCreate: { name: "Gin Guild", owner_id: users.owner, status: "active" },
  CommunitiesList: { has_more: false, data: [{ id: found.community }] },
  CommunitiesShow: { id: found.community, name: "Mezcal Circle" },
  CommunitiesUpdate: { id: found.community, avatar_url: "https://example.com/mezcal.png" },
  CommunitiesActivity: {
    data: [
      { action: "edited", record: { type: "community", id: found.community }, actor: { id: users.owner } },
      { action: "change_canceled", record: { type: "member" } },
      {},
      {},
      {},
    ],
  },
  CommunitiesEvents: {},
  CommunitiesTransactions: {},
  CommunitiesMovements: {},
  CommunitiesStats: { by_tier: [{ id: 11 }, { id: 12 }, { id: 13 }, { id: 14, total: 0 }] },
  CommunitiesSeries: { metric: "mrr", interval: "week", unit: "cents" },

  TiersList: { total: 4, data: [{ id: 11 }, { id: 12 }, { id: 13 }, { id: 14 }] },
  TiersCreate: { name: "Copita", monthly_price_dollars: 5, stripe_price_id: expect.any(String) },
  TiersShow: { id: found.tier, monthly_price_dollars: 10 },
  TiersUpdate: { id: found.tier, badge: "Amigo" },

  CheckoutCreateSession: { url: expect.any(String) },
  CheckoutCreatePortalSession: { url: expect.any(String) },

  BrandsList: { total: 1, data: [{ name: "Ánima del Agave" }] },
  BrandsCreate: { name: "Flor de Cuishe", producer_ids: [found.producer] },
  BrandsShow: { id: found.brand },
  BrandsUpdate: { id: found.brand, name: "100% Cuishe, joven" },

  BrandsActivity: {
    data: [
      { action: "edited", after: { name: "100% Cuishe, joven" } },
      { action: "created", before: null },
    ],
  },

  // One of the demo's six benefits is deleted before this example runs.
  BenefitsList: { total: 5, has_more: false },
  BenefitsCreate: { name: "A tour of the still house", tiers: [{ id: found.tier }] },
  BenefitsShow: { id: found.benefit, status: "active" },
  BenefitsUpdate: { id: found.benefit, description: "By post, on the first Friday." },
  BenefitsAssignToTiers: { id: found.benefit, tiers: [{ id: found.tier }, { id: found.otherTier }] },
  BenefitsArchive: { id: found.benefit, status: "archived" },
  BenefitsActivate: { id: found.archivedBenefit, status: "active" },

  DestinationsList: { total: 2, data: [{ id: found.destination }, { id: found.otherDestination }] },
  DestinationsCreate: { url: "https://example.com/odis-events", secret: expect.stringMatching(/^whsec_/) },
  DestinationsShow: { id: found.destination, status: "disabled" },
  DestinationsUpdate: { id: found.destination, description: "The door of the club house" },
  DestinationsRotateSecret: { id: found.destination, secret: expect.stringMatching(/^whsec_/) },
  DestinationsPing: { status_code: null, error: "connection" },
  DestinationsDeliveries: { has_more: false, data: [] },
  DestinationsResend: { code: "not_found" },
  DestinationsResendMany: { code: "destination_disabled" },

  TeamList: { total: 2, data: [{ user: { id: found.teamMember } }, { user: { id: found.otherTeamMember } }] },
  TeamUpdate: { user: { id: found.teamMember }, role: "viewer" },
  // The other key was revoked before: longer paths come first.
  KeysList: { total: 1, data: [{ id: found.apiKey }] },
  KeysCreate: { name: "Webshop", key: expect.stringMatching(/^odis_local_/) },
  TeamListInvitations: { total: 2 },
  TeamInvite: { email: "lea@example.com", role: "support" },
  TeamAccept: { role: "viewer" },

  SystemHealth: { status: "ok" },
  SystemFallback: { code: "route_not_found" },
});
