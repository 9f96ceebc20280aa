import { dateOf, firstNameOf, isErasedPerson, moneyOf, priceFor, timeOf } from "../format.ts";
import type { Tone } from "../parts/tone.ts";
import type { Charge, Member, SubscriptionDetails } from "./odis.ts";

/** Statuses of a subscription in words. */
export const statusTexts = {
  active: "Active",
  trialing: "Free trial",
  past_due: "Payment overdue",
  unpaid: "Unpaid",
  canceled: "Ended",
  incomplete: "Never paid",
} as const;

/** Stripe's reasons for a cancellation in words. */
export const feedbackTexts: Readonly<Record<string, string>> = {
  too_expensive: "Too expensive",
  missing_features: "Missing features",
  switched_service: "Switched to another service",
  unused: "Not used",
  customer_service: "Poor customer service",
  too_complex: "Too complex",
  low_quality: "Low quality",
  other: "Other",
};

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
  if (member.cancel_at && hasAccess(member) && member.status !== "past_due")
    return { text: "Leaving", tone: "warning" };
  return { text: statusTexts[member.status], tone: tones[member.status] };
}

/** Whether the member may enter the community. */
const hasAccess = ({ is_blocked, status }: Member): boolean =>
  !is_blocked && (status === "active" || status === "trialing" || status === "past_due");

/** Whether the person was erased. Nothing can be changed about the member any more. */
export const isErased = ({ user }: Member): boolean => isErasedPerson(user);

/** Whether there is a subscription that can be canceled. */
export const canCancel = ({ status }: Member): boolean => status !== "canceled";

/**
 * Whether the member was imported and has no subscription in Stripe. Until `details` are known, the record decides: the period
 * of an imported member is not renewed.
 */
export function isImported(member: Member, details: SubscriptionDetails | null | undefined): boolean {
  const { interval, price_cents } = member;
  return canCancel(member) && (details === undefined ? interval === null && price_cents === null : details === null);
}

type Standing = { readonly title: string; readonly text?: string };

/** What is true of members whose payments Odis does not see. */
const manualText = "Imported: pays outside of Stripe. Odis takes no payments.";

/** Whether a member has access, why, and the next change. `isManual` if there is no subscription in Stripe. */
export function standingOf(member: Member, isManual: boolean): Standing {
  const name = firstNameOf(member.user);
  const { status, current_period_end, cancel_at, trial_end, is_blocked } = member;
  if (is_blocked)
    return {
      title: `${name} is blocked and has no access.`,
      text: blockedText(member, isManual),
    };
  if (cancel_at && hasAccess(member))
    return {
      title: `${name} keeps access until ${dateOf(cancel_at)}.`,
      text: isManual
        ? `Then the membership ends. ${manualText}`
        : `Then the subscription ends.${status === "past_due" ? " The last payment failed, and Stripe may still try it." : ""}`,
    };
  if (isManual && canCancel(member))
    return {
      title: `${name} has ${hasAccess(member) ? "access" : "no access"}.`,
      text: `${manualText} The membership continues until you end it.`,
    };
  switch (status) {
    case "active":
      return { title: `${name} has access.`, text: `The current period ends on ${dateOf(current_period_end)}.` };
    case "trialing":
      return {
        title: `${name} has access.`,
        text: `The free trial ends on ${dateOf(trial_end ?? current_period_end)}. Then the first payment is taken.`,
      };
    case "past_due":
      return {
        title: `${name} still has access, but the last payment failed.`,
        text: "Stripe retries the card over the next few days. If every retry fails, access ends.",
      };
    case "unpaid":
      return {
        title: `${name} has no access because the last payment failed, or the subscription is paused.`,
        text: "Stripe no longer retries the card. Access returns when the open invoice is paid or the subscription is resumed.",
      };
    case "incomplete":
      return { title: `${name} has no access because the first payment was never completed.` };
    case "canceled":
      return { title: `${name} has no access.`, text: endText(member) };
  }
}

function blockedText(member: Member, isManual: boolean): string {
  if (!canCancel(member)) return "The subscription has ended.";
  return isManual ? manualText : "The subscription and its payments continue.";
}

/** Stripe's messages to the holder of a card, in words for the owner. */
const failureTexts: Readonly<Record<string, string>> = {
  "Your card was declined.": "The bank declined the card, without a reason.",
  "Your card has insufficient funds.": "There is not enough money on the card.",
  "Your card has expired.": "The card has expired.",
  "Your card number is incorrect.": "The card number is not correct.",
  "Your card's security code is incorrect.": "The security code of the card is not correct.",
  "Your card does not support this type of purchase.": "The card is not allowed for such payments.",
  "An error occurred while processing your card. Try again in a little bit.": "The bank could not be reached.",
};

/** Why a payment failed, in a sentence. */
export const failureText = (message: string): string => failureTexts[message] ?? `Stripe says: “${message}”`;

/** When a subscription ends or has ended, in a sentence. */
export const endText = ({ cancel_at, ended_at }: Member): string =>
  cancel_at && !ended_at
    ? `The subscription is set to end on ${dateOf(cancel_at)}.`
    : `The subscription ended${ended_at ? ` on ${dateOf(ended_at)}` : ""}.`;

/** Describes the effect of a cancellation in sentences. */
export function cancellationText(member: Member, mode: string, isManual: boolean): string {
  const name = firstNameOf(member.user);
  if (isManual) {
    const stays = "Nothing is charged or refunded. End the payments where they are made.";
    if (mode === "immediately") return `${name} loses access now, and the membership ends. ${stays}`;
    return `The membership ends on ${dateOf(member.current_period_end)}. ${stays} You can undo this until then.`;
  }
  if (member.status === "incomplete") return "The subscription ends now. Nothing was paid, and nothing is refunded.";
  if (mode === "immediately") {
    const isOpen = member.status === "past_due" || member.status === "unpaid";
    const open = isOpen ? " Stripe no longer tries the overdue payment, but its invoice can still be paid." : "";
    return `${name} loses access now. Nothing is refunded, and no new period begins.${open}`;
  }
  const access = hasAccess(member)
    ? `${name} keeps access until ${dateOf(member.current_period_end)}`
    : "The subscription ends at the end of the period";
  const overdue = member.status === "past_due" ? " Until then, Stripe may retry the overdue payment." : "";
  return `${access}. No new period begins, and nothing is refunded.${overdue} You can undo this until then.`;
}

/** The scheduled change: `Reserva, $25 a month, on December 3, 2026`. Empty if there is none. */
export function changeOf({ scheduled_change: change }: Member): string {
  if (!change) return "";
  const price =
    change.interval === null ? moneyOf(change.price_cents) : priceFor(change.price_cents / 100, change.interval);
  return `${change.tier.name}, ${price}, on ${dateOf(change.at)}`;
}

/** Describes the effect of a refund in a sentence. */
export const refundText = (member: Member, cents: number): string =>
  `${firstNameOf(member.user)} gets ${moneyOf(cents)} back on the same card within 5 to 10 days. The subscription and access do not change. Credit from a change of plan stays with the member. A refund cannot be undone.`;

/** Describes the refunds of a charge and the remaining amount in sentences. Empty without a refund or dispute. */
export function refundsText({ metadata }: Member, charge: Charge, userId: number | undefined): readonly string[] {
  const refunds = metadata.refunds
    .filter(({ charge_id, status }) => charge_id === charge.id && status !== "failed" && status !== "canceled")
    .map(({ amount_cents, issued_at, issued_by }) => {
      const amount = moneyOf(amount_cents);
      if (issued_by === null) return `${amount} was refunded in Stripe on ${timeOf(issued_at)}.`;
      return `${issued_by === userId ? "You" : `User ${issued_by}`} refunded ${amount} on ${timeOf(issued_at)}.`;
    });
  if (charge.disputed)
    return [...refunds, "The member has disputed this payment with their bank, so it cannot be refunded."];
  if (refunds.length === 0) return [];
  const { refundable_cents: left } = charge;
  return [...refunds, left > 0 ? `${moneyOf(left)} is left.` : "Nothing is left to refund."];
}
