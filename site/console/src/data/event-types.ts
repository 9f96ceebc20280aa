import type { Events } from "./odis.ts";

/** The types of events that a destination can choose. Those of brands belong to no community. */
type EventType = Exclude<keyof Events, `brand.${string}` | "ping">;

const types: Readonly<Record<EventType, true>> = {
  "access.granted": true,
  "access.revoked": true,
  "member.joined": true,
  "member.imported": true,
  "member.renewed": true,
  "member.trial_ending": true,
  "member.past_due": true,
  "member.unpaid": true,
  "member.recovered": true,
  "member.canceled": true,
  "member.tier_changed": true,
  "member.cancel_scheduled": true,
  "member.uncanceled": true,
  "member.change_scheduled": true,
  "member.change_canceled": true,
  "member.blocked": true,
  "member.unblocked": true,
  "member.erased": true,
  "member.updated": true,
  "payment.succeeded": true,
  "payment.failed": true,
  "refund.created": true,
  "refund.failed": true,
  "refund.updated": true,
  "dispute.opened": true,
  "dispute.closed": true,
  "dispute.updated": true,
  "community.created": true,
  "community.updated": true,
  "community.archived": true,
  "community.activated": true,
  "tier.created": true,
  "tier.updated": true,
  "tier.archived": true,
  "tier.activated": true,
  "tier.deleted": true,
  "benefit.created": true,
  "benefit.updated": true,
  "benefit.archived": true,
  "benefit.activated": true,
  "benefit.deleted": true,
  "event_destination.disabled": true,
};

/** The types of events by kind: `member.*` and the types that it stands for. */
export const eventKinds: ReadonlyMap<string, readonly string[]> = Map.groupBy(
  Object.keys(types),
  (type) => `${type.split(".")[0]}.*`,
);
