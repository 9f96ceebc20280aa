import { dateOf, moneyOf, timeOf } from "../format.ts";
import { canCancel, statusTexts } from "./member-words.ts";
import type { Activity, CommunityActivity, Me, Member } from "./odis.ts";

export type Entry = Activity | CommunityActivity;
type State = Readonly<Record<string, unknown>> | null;

const text = (state: State, name: string): string | undefined => {
  const value = state?.[name];
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
};

const statusOf = (state: State): string => {
  const status = text(state, "status") ?? "";
  return status in statusTexts ? statusTexts[status as keyof typeof statusTexts].toLowerCase() : status;
};

/** A note about a price change in Stripe's schedule that was dropped. */
const droppedText = (after: State): string => (after?.dropped_prices ? ". A planned change of price was dropped" : "");

/** Describes a change of a member, in a sentence without a subject. */
export function memberActivityText({ action, before, after }: Pick<Activity, "action" | "before" | "after">): string {
  const amount = Number(after?.amount_cents);
  switch (action) {
    case "joined":
      return "Joined";
    case "imported":
      return "Imported from another system";
    case "status_changed":
      return `Status changed from ${statusOf(before)} to ${statusOf(after)}`;
    case "tier_changed":
      return "Moved to another tier";
    case "interval_changed":
      return `Now pays by the ${text(after, "interval") ?? "period"}`;
    case "change_scheduled":
      return `Change scheduled: ${changeText(after)}`;
    case "change_canceled":
      return `Scheduled change dropped: ${changeText(before)}`;
    case "cancel_scheduled": {
      const at = text(after, "cancel_at");
      return `${at ? `Subscription set to end on ${dateOf(at)}` : "Subscription set to end"}${droppedText(after)}`;
    }
    case "uncanceled":
      return `Cancellation withdrawn${droppedText(after)}`;
    case "canceled":
      return "Subscription ended";
    case "refunded":
      return Number.isFinite(amount) ? `Refunded ${moneyOf(amount)}` : "Refunded";
    case "refund_changed":
      return `Refund changed to ${text(after, "status") ?? "another status"}`;
    case "blocked": {
      const reason = text(after, "block_reason") ?? text(after, "reason");
      return reason ? `Blocked: ${reason}` : "Blocked";
    }
    case "unblocked":
      return "Unblocked";
    case "edited":
      return `Edited: ${changedFields(after) || "details"}`;
    case "erased":
      return "Personal data erased";
  }
}

/** A scheduled change: `Reserva, by the month, from 3 December 2026 on`. */
function changeText(state: State): string {
  const { tier, interval, at } = (state?.scheduled_change ?? {}) as Partial<NonNullable<Member["scheduled_change"]>>;
  return [tier?.name, interval && `by the ${interval}`, at && `from ${dateOf(at)} on`].filter(Boolean).join(", ");
}

const fieldTexts: Readonly<Record<string, string>> = {
  shipping_address: "shipping address",
  metadata: "custom data",
  monthly_price_dollars: "price",
  yearly_price_dollars: "yearly price",
  requires_shipping_address: "shipping",
  trial_days: "free trial",
  tier_ids: "tiers",
  avatar_url: "picture",
  slug: "address",
  trending_pin: "trending mark",
  owner_id: "owner",
  stripe_price_id: "",
  yearly_stripe_price_id: "",
};

function changedFields(after: State, named?: string): string {
  const { changed } = after ?? {};
  const names = Array.isArray(changed) ? changed.map(String) : Object.keys(after ?? {});
  return names
    .filter((name) => name !== named)
    .map((name) => fieldTexts[name] ?? name.replaceAll("_", " "))
    .filter(Boolean)
    .join(", ");
}

const recordTexts = {
  community: "community",
  tier: "tier",
  benefit: "benefit",
  event_destination: "event destination",
  team_member: "team",
  invitation: "invitation",
  api_key: "API key",
  member: "member",
};

/** Describes an entry of a community, in a sentence without a subject. Does not name the member whom it is about. */
export function communityActivityText({ action, record, before, after }: CommunityActivity): string {
  const kind = recordTexts[record.type];
  const name = text(after, "name") ?? text(before, "name") ?? record.name;
  const person = record.name ?? `user ${record.id}`;
  const what = name ? `${kind} “${name}”` : kind;
  const price = text(after, "monthly_price_dollars");
  const oldPrice = text(before, "monthly_price_dollars");
  const others = changedFields(after, "monthly_price_dollars");
  switch (action) {
    case "created":
      return `Created the ${what}`;
    case "edited":
      if (record.type === "member") return memberActivityText({ action, before, after });
      return price && oldPrice
        ? `Changed the price of the ${what} from ${moneyOf(Number(oldPrice) * 100)} to ${moneyOf(Number(price) * 100)}${others && `, and edited: ${others}`}`
        : `Edited the ${what}: ${changedFields(after) || "details"}`;
    case "archived":
      return `Archived the ${what}`;
    case "unarchived":
      return `Activated the ${what} again`;
    case "transferred":
      return `Transferred the community to user ${text(after, "owner_id") ?? ""}`;
    case "deleted":
      return `Deleted the ${what}`;
    case "team_invited":
      return `Invited somebody to the team as ${roleIn(after)}`;
    case "team_invitation_revoked":
      return `Revoked an invitation as ${roleIn(before)}`;
    case "team_invitation_declined":
      return `Declined the invitation as ${roleIn(before)}`;
    case "team_joined":
      return `Joined the team as ${roleIn(after)}`;
    case "team_role_changed":
      return `Changed the role of ${person} from ${roleIn(before)} to ${roleIn(after)}`;
    case "team_removed":
      return `Removed ${person} from the team`;
    case "api_key_created":
      return `Created the ${what} as ${roleIn(after)}`;
    case "api_key_revoked":
      return `Revoked the ${what}`;
    case "members_imported":
      return `Imported ${text(after, "records") ?? "some"} members`;
    case "blocked":
    case "cancel_scheduled":
    case "canceled":
    case "change_canceled":
    case "change_scheduled":
    case "erased":
    case "imported":
    case "interval_changed":
    case "joined":
    case "refund_changed":
    case "refunded":
    case "status_changed":
    case "tier_changed":
    case "unblocked":
    case "uncanceled":
      return memberActivityText({ action, before, after });
  }
}

const roleIn = (state: State): string => text(state, "role") ?? "";

const endTexts = {
  cancel_scheduled: { active: "canceled it", passive: "It was canceled" },
  canceled: { active: "ended it", passive: "It was ended" },
  uncanceled: { active: "withdrew the cancellation", passive: "The cancellation was withdrawn" },
} as const;

/**
 * Describes in a sentence who ended the subscription, scheduled its end or withdrew that, and when. `activity` has the newest
 * entries of the member. Undefined if none of them caused the current end of the subscription.
 */
export function endedByText(
  member: Member,
  activity: readonly Activity[],
  me: Me | null | undefined,
): string | undefined {
  const present = member.cancel_at === null ? "uncanceled" : "cancel_scheduled";
  const action = canCancel(member) ? present : "canceled";
  const newest = activity.find((entry) => entry.action in endTexts);
  if (newest?.action !== action) return undefined;
  const { active, passive } = endTexts[action];
  const what = newest.actor.type === "stripe" ? `${passive} in Stripe` : `${actorText(newest, me)} ${active}`;
  return `${what} on ${timeOf(newest.at)}.`;
}

/** The actor of an entry. */
export function actorText({ actor: { type, id, name } }: Entry, me: Me | null | undefined): string {
  if (type === "stripe") return "Stripe";
  if (type === "system" || id === null) return "Odis";
  if (type === "api_key") return `API key ${name ?? id}`;
  if (id === me?.user?.id) return "You";
  return name ?? "Erased person";
}
