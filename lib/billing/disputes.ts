import type Stripe from "stripe";
import { closedDisputes } from "../fields/fact-change.ts";
import type { StoredDispute } from "../store/facts.ts";
import { currency, isLost } from "./payments.ts";
import { type ChargeWithRefunds, idOf, isoOf } from "./snapshot.ts";

/** All disputes of a member after a synchronization: those of the charges at Stripe, and stored ones of other charges. */
export function disputesAfter(
  charges: readonly ChargeWithRefunds[],
  stored: readonly StoredDispute[],
  now: Date,
): StoredDispute[] {
  const before = new Map(stored.map((dispute) => [dispute.dispute_id, dispute]));
  const current = charges.flatMap(({ disputes }) => disputes).map((one) => toStored(one, before.get(one.id), now));
  const listed = new Set(current.map(({ dispute_id }) => dispute_id));
  return [...current, ...stored.filter(({ dispute_id }) => !listed.has(dispute_id))];
}

function toStored(dispute: Stripe.Dispute, before: StoredDispute | undefined, now: Date): StoredDispute {
  const { status, amount: amount_cents, reason, evidence_details } = dispute;
  const closed_as = closedStatusOf(status) ?? (before && lastClosedAs(before));
  const created_at = isoOf(dispute.created);
  const losses = before ? lossesOf(before) : {};
  const isCounted = dispute.currency === currency;
  const change = (isCounted && isLost(dispute) ? amount_cents : 0) - sumOf(losses);
  // Without losses of its own, a stored dispute that is lost would count.
  const unchanged = before?.lost_cents_by_day ?? (isCounted ? undefined : losses);
  const day = (before ? now.toISOString() : created_at).slice(0, 10);
  return {
    dispute_id: dispute.id,
    charge_id: idOf(dispute.charge) ?? "",
    amount_cents,
    status,
    reason,
    evidence_due_at: evidence_details.due_by === null ? null : isoOf(evidence_details.due_by),
    created_at,
    ...(closed_as !== undefined && { closed_as }),
    ...(change === 0 ? unchanged && { lost_cents_by_day: unchanged } : { lost_cents_by_day: add(losses, day, change) }),
  };
}

/** The latest final status of a stored dispute. Earlier versions did not store it separately. */
export const lastClosedAs = ({ status, closed_as }: StoredDispute): string | undefined =>
  closedStatusOf(status) ?? closed_as;

const closedStatusOf = (status: string): string | undefined => closedDisputes.find((closed) => closed === status);

/** Losses of a dispute by day. A loss that an earlier version has stored counts on the day on which the dispute was opened. */
const lossesOf = ({ lost_cents_by_day, status, created_at, amount_cents }: StoredDispute): Record<string, number> =>
  lost_cents_by_day ?? (status === "lost" ? { [created_at.slice(0, 10)]: amount_cents } : {});

/** Losses of all disputes in US cents, by the UTC day on which each was lost. A loss that is reversed is negative. */
export const disputedByDay = (disputes: readonly StoredDispute[]): Record<string, number> =>
  disputes
    .flatMap((dispute) => Object.entries(lossesOf(dispute)))
    .reduce<Record<string, number>>((days, [day, cents]) => add(days, day, cents), {});

/** Adds to the sum of a day. Leaves out sums of 0. */
function add(days: Readonly<Record<string, number>>, day: string, cents: number): Record<string, number> {
  const sums = { ...days, [day]: (days[day] ?? 0) + cents };
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}

const sumOf = (days: Readonly<Record<string, number>>): number =>
  Object.values(days).reduce((total, cents) => total + cents, 0);
