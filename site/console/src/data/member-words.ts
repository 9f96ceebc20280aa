import { dateOf, firstNameOf, moneyOf } from "../format.ts";
import type { Tone } from "../parts/page.tsx";
import type { Member } from "./odis.ts";

/** Statuses of a subscription in words. */
export const statusTexts = {
  active: "Active",
  trialing: "Free trial",
  past_due: "Payment overdue",
  unpaid: "Unpaid",
  canceled: "Ended",
  incomplete: "Never paid",
} as const;

const tones = {
  active: "good",
  trialing: "good",
  past_due: "warning",
  unpaid: "danger",
  canceled: "neutral",
  incomplete: "neutral",
} as const;

/** A member's state in a word or two. */
export function badgeOf(member: Member): { readonly text: string; readonly tone: Tone } {
  if (member.is_blocked) return { text: "Blocked", tone: "danger" };
  if (member.cancel_at && hasAccess(member)) return { text: "Leaving", tone: "warning" };
  return { text: statusTexts[member.status], tone: tones[member.status] };
}

/** Whether the member may enter the community. */
const hasAccess = ({ is_blocked, status }: Member): boolean =>
  !is_blocked && (status === "active" || status === "trialing" || status === "past_due");

/** Whether there is a subscription that can be canceled. */
export const canCancel = ({ status }: Member): boolean => status !== "canceled";

/** What a member has and what comes next, in sentences. */
export function standingOf(member: Member): string {
  const name = firstNameOf(member.user);
  const { status, current_period_end, cancel_at, ended_at, trial_end, is_blocked } = member;
  if (is_blocked) {
    const subscription = canCancel(member)
      ? "The subscription is not affected by the block: payments continue."
      : "The subscription has ended.";
    return `${name} is blocked and has no access. ${subscription}`;
  }
  if (cancel_at && hasAccess(member))
    return `${name} keeps access until ${dateOf(cancel_at)}. Then the subscription ends.`;
  switch (status) {
    case "active":
      return `${name} has access. The subscription renews on ${dateOf(current_period_end)}.`;
    case "trialing":
      return `${name} has access. The free trial ends on ${dateOf(trial_end ?? current_period_end)}, then the first payment is taken.`;
    case "past_due":
      return `${name} still has access, but the last payment failed. Stripe tries the card again in the next days. If every attempt fails, access ends.`;
    case "unpaid":
      return `${name} has no access: the payment failed and is no longer tried. Access returns when the open invoice is paid.`;
    case "incomplete":
      return `${name} has no access: the first payment was never completed.`;
    case "canceled":
      return `${name} has no access. The subscription ended${ended_at ? ` on ${dateOf(ended_at)}` : ""}.`;
  }
}

/** What a cancellation does, in a sentence. */
export function cancellationText(member: Member, mode: string): string {
  const name = firstNameOf(member.user);
  if (member.status === "incomplete") return "The subscription ends now. Nothing was paid, and nothing is refunded.";
  if (mode === "immediately") return `${name} loses access now. Nothing is refunded, and no more payments are taken.`;
  const access = hasAccess(member)
    ? `${name} keeps access until ${dateOf(member.current_period_end)}`
    : "The subscription ends at the end of the period";
  return `${access}; nothing is refunded, and no more payments are taken. You can undo this until then.`;
}

/** What a refund does, in a sentence. */
export const refundText = (member: Member, cents: number): string =>
  `${firstNameOf(member.user)} gets ${moneyOf(cents)} back on the same card within 5 to 10 days. The subscription and access do not change. A refund cannot be undone.`;
