import { isFree } from "./is-free.ts";
import { type Membership, OdisProblem, type OwnChangeAnswer, type Tier } from "./odis.ts";
import { dateOf } from "./texts.ts";

/** A tier, and how often it is paid. */
export type Offer = { readonly tier: Tier; readonly interval: "month" | "year" };

type Outcome = Omit<OwnChangeAnswer, "membership"> & {
  readonly membership: Planned & Pick<Membership, "status" | "price_cents">;
};

type Planned = Pick<Membership, "tier" | "interval" | "scheduled_change">;

const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const times = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeStyle: "short" });

export const moneyOf = (cents: number): string => dollars.format(cents / 100);
export const timeOf = (timestamp: string): string => times.format(new Date(timestamp));

/** A tier with what it costs, such as `Reserva, for $25.00 a month`. */
export const planOf = (name: string, cents: number | null, interval: Membership["interval"]): string =>
  cents ? `${name}, for ${moneyOf(cents)} a ${interval ?? "period"}` : `${name}, which is free`;

type Current = Pick<Membership, "tier"> | undefined;

export const isOwnTier = (membership: Current, { id }: Tier): boolean => membership?.tier?.id === id;

/** What a member can do, such as `Change to Reserva for a year`. */
export function labelOf(membership: Current, { tier, interval }: Offer): string {
  if (isOwnTier(membership, tier)) return `Pay by the ${interval}`;
  return `Change to ${tier.name}${interval === "year" ? " for a year" : ""}`;
}

/** What the change that was previewed does and costs. */
export function previewText(preview: Outcome, { tier, interval }: Offer): string {
  const { membership, when, next_charge_cents: next, next_charge_at } = preview;
  const date = dateOf(next_charge_at ?? "");
  const ships =
    tier.requires_shipping_address && !membership.tier?.requires_shipping_address
      ? " This plan ships to you: check your address under “Card and address” in your account."
      : "";
  if (when === "at_period_end")
    return `Nothing is charged now. From ${date} your plan is ${planOf(tier.name, next, interval)}. Until then you keep what you have.${ships}`;
  return `${chargeText(preview, interval)} From ${date}: ${next ? `${moneyOf(next)} a ${interval}` : "free"}.${ships}`;
}

/** What is charged now, and for what. */
function chargeText(preview: Outcome, interval: Offer["interval"]): string {
  const { membership, charged_now_cents: charged, credited_cents: credited, next_charge_cents: next } = preview;
  const total = charged + credited;
  if (membership.status === "trialing") return "Nothing is charged now, and you keep your free trial.";
  if (charged === 0)
    return total === 0 ? "Nothing is charged now." : "Nothing is charged now, because your credit covers the change.";
  const pay = `You pay ${moneyOf(charged)} now`;
  if (isFree(membership)) return `${pay}, for the first ${interval}.`;
  if (membership.interval === interval) return `${pay}: the difference for the rest of the ${interval}.`;
  const rest = `${moneyOf(credited)} for the rest of this ${membership.interval}`;
  // Taxes and credit from before are part of the charge, too.
  return total === next
    ? `${pay}: ${moneyOf(total)} for a ${interval}, less ${rest}.`
    : `${pay} for a ${interval}. ${rest} is already subtracted.`;
}

/** What has happened after a change that needs no payment on Stripe's page. */
export function doneText(answer: OwnChangeAnswer, offer: Offer): string {
  const { status, charged_now_cents: charged, next_charge_at } = answer;
  if (status === "scheduled") return laterText(next_charge_at ?? "");
  return `${newPlanText(offer)}${charged > 0 ? ` You have paid ${moneyOf(charged)}.` : ""}`;
}

/** What to tell a member who has the plan of an offer now, or will have it at the end of the period. Undefined for others. */
export function madeText(membership: Planned, offer: Offer, isLater: boolean): string | undefined {
  const isMade = ({ tier, interval }: Pick<Membership, "interval"> & { readonly tier: Pick<Tier, "id"> | null }) =>
    tier?.id === offer.tier.id && interval === offer.interval;
  const { scheduled_change: change } = membership;
  if (isMade(membership)) return newPlanText(offer);
  return isLater && change && isMade(change) ? laterText(change.at) : undefined;
}

const laterText = (timestamp: string): string => `Your plan changes on ${dateOf(timestamp)}.`;

export const newPlanText = (offer: Offer): string => `Your plan is now ${offer.tier.name}${byInterval(offer)}.`;

/** How often a plan is paid, such as `, by the month`. Empty for a free tier. */
export const byInterval = ({ tier, interval }: { readonly tier: Tier; readonly interval: Membership["interval"] }) =>
  tier.monthly_price_dollars > 0 ? `, by the ${interval}` : "";

const refusals: Readonly<Record<string, string>> = {
  cancel_scheduled: "Your membership is about to end. Keep it first, then change your plan.",
  insufficient_user_authentication: "For this, sign out and sign in again first.",
  nothing_to_change: "This is your plan already.",
  payment_overdue: "Your last payment failed. Update your card first, then change your plan.",
  request_in_progress: "Another change is not finished yet. Try again in a moment.",
  subscription_not_managed: "Your plan cannot be changed here. Ask the owner of this community to change it.",
  too_many_changes: "You have changed your plan five times in a day. Try again tomorrow.",
};

/** An error with a text for members, if there is one for its code. */
export function inWords(error: unknown): unknown {
  const text = error instanceof OdisProblem && refusals[error.code];
  return text ? new Error(text, { cause: error }) : error;
}

/** The code of an error, if it is one of those that are expected. Throws every other error, with a text for members. */
export function expectedCode<Code extends string>(error: unknown, ...codes: readonly Code[]): Code {
  const code = codes.find((each) => each === (error as Partial<OdisProblem>).code);
  if (!code) throw inWords(error);
  return code;
}
