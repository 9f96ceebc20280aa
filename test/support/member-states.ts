import { type MemberState, memberChanges } from "#lib/events/member-changes.ts";

/** A member in the form of a stream record. */
export const member = (over: Partial<MemberState> = {}): MemberState => ({
  id: 5,
  tier_id: 11,
  user: { id: 3 },
  status: "active",
  current_period_end: "2026-12-01T00:00:00.000Z",
  cancel_at_period_end: false,
  cancel_at: null,
  interval: "month",
  price_cents: 2500,
  scheduled_change: null,
  canceled_at: null,
  ended_at: null,
  is_blocked: false,
  lifetime_spend_cents: 2500,
  total_refunded_cents: 0,
  shipping_address: null,
  requires_shipping_address: false,
  first_granted_at: "2026-08-03T09:31:00.000Z",
  created_at: "2026-08-03T09:30:00.000Z",
  version: 1,
  ...over,
});

/** The member before the change. Undefined for a new member. */
export type Before = Partial<MemberState> | undefined;

/** Returns the types of the events of a change, in order. */
export const types = (before: Before, after: Partial<MemberState>) =>
  memberChanges(before && member(before), member(after)).map(({ type }) => type);
