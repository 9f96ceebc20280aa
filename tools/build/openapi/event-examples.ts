import { isDeepStrictEqual } from "node:util";
import type { EventType } from "#lib/contract/events.ts";
import { accessOf, type Subscription } from "#lib/domain/access.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of an example's record that differ from the usual values, after and before the change. */
type Difference = { readonly after?: Fields; readonly before?: Fields };

const ended = { status: "canceled", canceled_at: "2026-11-21T05:16:00.000Z", ended_at: "2026-11-21T05:16:00.000Z" };
const running = { status: "active", canceled_at: null, ended_at: null };
const ending = { cancel_at_period_end: true, cancel_at: "2026-12-03T09:30:00.000Z" };
const notEnding = { cancel_at_period_end: false, cancel_at: null };
const status = (before: string, after: string): Difference => ({
  before: { status: before },
  after: { status: after },
});

/** The differing fields, by event type, for events whose record changes or differs from its usual example. */
const differences: Readonly<Partial<Record<EventType, Difference>>> = {
  "access.granted": status("incomplete", "active"),
  "access.revoked": { before: running, after: ended },
  "member.joined": status("incomplete", "active"),
  "member.renewed": { before: { current_period_end: "2026-11-03T09:30:00.000Z", lifetime_spend_cents: 7000 } },
  "member.trial_ending": { after: { status: "trialing" } },
  "member.past_due": status("active", "past_due"),
  "member.unpaid": status("past_due", "unpaid"),
  "member.recovered": status("past_due", "active"),
  "member.canceled": { before: running, after: ended },
  "member.tier_changed": { before: { tier_id: 12 } },
  "member.cancel_scheduled": { before: notEnding, after: ending },
  "member.uncanceled": { before: ending, after: notEnding },
  "member.change_scheduled": { before: { scheduled_change: null } },
  "member.change_canceled": { after: { scheduled_change: null } },
  "member.blocked": { before: { is_blocked: false }, after: { is_blocked: true } },
  "member.unblocked": { before: { is_blocked: true }, after: { is_blocked: false } },
  "member.updated": { before: { has_shipping_address: false } },
  "member.erased": { before: { has_shipping_address: true }, after: { ...ended, has_shipping_address: false } },
  "payment.failed": { after: { status: "failed" } },
  "refund.failed": status("succeeded", "failed"),
  "refund.updated": status("pending", "succeeded"),
  "dispute.closed": status("needs_response", "won"),
  "dispute.updated": status("needs_response", "under_review"),
  "community.updated": { before: { name: "Mezcal Club" } },
  "community.archived": status("active", "archived"),
  "community.activated": status("archived", "active"),
  "tier.updated": { before: { monthly_price_dollars: 20 } },
  "tier.archived": status("active", "archived"),
  "tier.activated": status("archived", "active"),
  "tier.deleted": { after: { status: "archived" } },
  "benefit.updated": { before: { description: "" } },
  "benefit.archived": status("active", "archived"),
  "benefit.activated": status("archived", "active"),
  "benefit.deleted": { after: { status: "archived" } },
  "event_destination.disabled": {
    before: { status: "enabled", disabled_reason: null },
    after: { status: "disabled", disabled_reason: "gone" },
  },
  "brand.updated": { before: { name: "Casa Ruis" } },
};

/** Returns the record of an example event after the change, and the former values of the changed fields. */
export function changedRecord(type: EventType, usual: Fields): { readonly record: Fields; readonly previous: Fields } {
  const { after = {}, before = {} } = differences[type] ?? {};
  const record = withAccess({ ...usual, ...after });
  const former = withAccess({ ...record, ...before });
  const changed = Object.entries(former).filter(([name, value]) => !isDeepStrictEqual(value, record[name]));
  return { record, previous: Object.fromEntries(changed) };
}

/** Derives the access of a member from the other fields. */
const withAccess = (fields: Fields): Fields =>
  "access" in fields ? { ...fields, access: accessOf(false, fields as unknown as Subscription) } : fields;
