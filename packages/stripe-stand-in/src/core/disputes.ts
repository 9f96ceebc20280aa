import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { find } from "./lookup.ts";
import { words } from "./objects/common.ts";
import { disputeObject } from "./objects/dispute.ts";

/**
 * Statuses that begin with `warning_` are those of an inquiry, which moves no money. Statuses that begin with `appeal_`
 * follow a lost dispute. A `prevented` dispute was resolved by returning the money
 * (https://docs.stripe.com/disputes/prevention-preview).
 */
export const DisputeStatus = v.picklist(
  words(
    "warning_needs_response warning_under_review warning_closed needs_response under_review won lost prevented appeal_needs_response appeal_under_review",
  ),
);
type Status = v.InferOutput<typeof DisputeStatus>;

const isInquiry = (status: Status) => status.startsWith("warning_");
const isAppeal = (status: string) => status.startsWith("appeal_");
const isClosed = (status: string) => ["won", "lost", "prevented", "warning_closed"].includes(status);

/** Opens a dispute or an inquiry about a charge, or changes the status of the existing one. */
export function dispute(account: Account, chargeId: string, status: Status): Stripe.Dispute {
  const charge = find(account, "charge", chargeId, "charge");
  if (charge.status !== "succeeded") throw invalid(`Charge ${chargeId} was never paid.`);
  const existing = [...account.rows("dispute")].find((row) => row.charge === chargeId);
  if (existing) return moved(account, existing, status);
  if (isAppeal(status)) throw invalid(`Charge ${chargeId} has no dispute that was lost.`);

  account.put("charge", { ...charge, disputed: true });
  const first = isInquiry(status) ? "warning_needs_response" : "needs_response";
  const created = disputeObject({
    id: account.newId("du"),
    created: account.now(),
    charge,
    status: isClosed(status) ? first : status,
  });
  events.create(account, "dispute", created, "charge.dispute.created");
  if (!isInquiry(status)) events.emit(account, "charge.dispute.funds_withdrawn", created);
  return created.status === status ? created : moved(account, created, status);
}

/** An inquiry becomes a dispute, and a lost dispute an appeal, and never the other way round. */
const stageOf = (status: string): number => (status.startsWith("warning_") ? 0 : isAppeal(status) ? 2 : 1);

function moved(account: Account, before: Stripe.Dispute, status: Status): Stripe.Dispute {
  const isDecision = status === "won" || status === "lost";
  const isRefused = isAppeal(status)
    ? before.status !== "lost" && !isAppeal(before.status)
    : isClosed(before.status) || (stageOf(status) < stageOf(before.status) && !isDecision);
  if (isRefused) throw invalid(`The dispute of this charge is ${before.status} already.`);
  const isRefundable = isInquiry(status) || (status === "won" && account.faults.won_dispute === "refundable");
  const after: Stripe.Dispute = { ...before, status, is_charge_refundable: isRefundable };
  events.replace(account, "dispute", after, "charge.dispute.updated");
  if (before.status.startsWith("warning_") && !isInquiry(status))
    events.emit(account, "charge.dispute.funds_withdrawn", after);
  if (status === "won") events.emit(account, "charge.dispute.funds_reinstated", after);
  if (isClosed(status)) events.emit(account, "charge.dispute.closed", after);
  return after;
}
