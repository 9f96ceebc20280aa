import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { refuseIfAsked } from "./faults.ts";
import { find } from "./lookup.ts";
import { money } from "./money.ts";
import { idOf } from "./objects/common.ts";
import { type RefundStatus, refundObject } from "./objects/refund.ts";
import { integer, merged, metadata, text } from "./parameters.ts";
import { day } from "./periods.ts";

export const RefundCreate = v.strictObject({
  charge: v.optional(text),
  payment_intent: v.optional(text),
  amount: v.optional(integer({ min: 1 })),
  reason: v.optional(v.picklist(["duplicate", "fraudulent", "requested_by_customer"])),
  metadata: v.optional(metadata),
});
export const RefundUpdate = v.strictObject({ metadata: v.optional(metadata) });

type Create = v.InferOutput<typeof RefundCreate>;

/** How long a refund stays pending, in seconds. */
const settlement = 5 * day;

export function create(account: Account, params: Create): Stripe.Refund {
  const charge = refundable(account, params);
  refuseIfAsked(account.faults);
  const left = charge.amount_captured - charge.amount_refunded;
  const { amount = left } = params;
  if (amount > left) {
    const [of, most] = charge.amount_refunded > 0 ? ["unrefunded amount on charge", left] : ["charge amount", left];
    const inWords = `Refund amount (${money(amount, charge.currency)}) is greater than ${of} (${money(most, charge.currency)})`;
    throw invalid(inWords, { param: "amount" });
  }

  const behaviour = account.get("card", charge.payment_method)?.behaviour;
  const status = behaviour === "pendingRefund" ? "pending" : account.faults.refund_status;
  const refund = refundObject({
    id: account.newId("re"),
    created: account.now(),
    charge,
    amount,
    reason: params.reason ?? null,
    metadata: merged(null, params.metadata),
    status,
  });
  events.create(account, "refund", refund, "refund.created");
  if (isReturned(status)) {
    const changed = withRefunded(charge, charge.amount_refunded + amount);
    events.replace(account, "charge", changed, "charge.refunded");
  } else if (status === "failed") events.emit(account, "refund.failed", refund);

  if (behaviour === "refundFail")
    schedule(account, account.now(), { do: "settle", refund: refund.id, status: "failed" });
  else if (status === "pending") {
    const at = account.now() + (behaviour === "pendingRefund" ? 0 : settlement);
    schedule(account, at, { do: "settle", refund: refund.id, status: "succeeded" });
  }
  return refund;
}

/** @throws ApiFailure if the charge cannot be refunded */
function refundable(account: Account, { charge: id, payment_intent: intentId }: Create): Stripe.Charge {
  if (id === undefined && intentId === undefined)
    throw invalid("One of the following params should be provided for this request: payment_intent or charge.");
  const intent = intentId === undefined ? undefined : find(account, "payment_intent", intentId, "payment_intent");
  const found = intent ? account.get("charge", intent.latest_charge) : find(account, "charge", id ?? "", "charge");
  const unpaid = intent?.id ?? idOf(found?.payment_intent);
  if (found?.status !== "succeeded")
    throw invalid(`This PaymentIntent (${unpaid}) does not have a successful charge to refund.`);
  if (id !== undefined && found.id !== id)
    throw invalid(`The charge '${id}' does not belong to the PaymentIntent '${intentId}'.`, { param: "charge" });

  if (found.amount_refunded >= found.amount_captured)
    throw invalid(`Charge ${found.id} has already been refunded.`, { code: "charge_already_refunded" });
  if (isChargedBack(account, found))
    throw invalid(`Charge ${found.id} has been charged back; cannot issue a refund.`, { code: "charge_disputed" });
  return found;
}

/** Whether the bank holds the money of a charge. False during an inquiry and after a won dispute. */
const isChargedBack = (account: Account, charge: Stripe.Charge) =>
  [...account.rows("dispute")].some(
    (dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable && dispute.status !== "won",
  );

export function update(account: Account, id: string, params: v.InferOutput<typeof RefundUpdate>): Stripe.Refund {
  const refund = find(account, "refund", id);
  const updated = { ...refund, metadata: merged(refund.metadata, params.metadata) };
  events.replace(account, "refund", updated, "refund.updated");
  return updated;
}

/** The statuses that may follow a status. A refund that has succeeded may still fail, days later. */
const moves: Readonly<Record<string, readonly RefundStatus[]>> = {
  pending: ["succeeded", "failed", "canceled", "requires_action"],
  requires_action: ["pending", "succeeded", "failed", "canceled"],
  succeeded: ["failed"],
};

/**
 * Changes the status of a refund. If the refund failed or was canceled, subtracts its amount from the refunded amount
 * of the charge.
 * @throws ApiFailure if the status must not follow the current one
 */
export function settle(account: Account, id: string, status: RefundStatus): Stripe.Refund {
  const refund = find(account, "refund", id);
  if (!moves[refund.status ?? ""]?.includes(status))
    throw invalid(`A ${refund.status} refund cannot become ${status}.`);
  const { pending_reason: _, ...rest } = refund;
  const settled: Stripe.Refund = { ...rest, status, ...(status === "failed" && { failure_reason: "unknown" }) };
  events.replace(account, "refund", settled, "refund.updated");
  events.emit(account, "charge.refund.updated", settled);
  if (status === "failed") events.emit(account, "refund.failed", settled);
  const charge = account.get("charge", refund.charge);
  // An assumption (see README.md): Stripe does not document whether a charge counts failed refunds.
  if (charge && !isReturned(status))
    account.put("charge", withRefunded(charge, charge.amount_refunded - refund.amount));
  return settled;
}

/** Settles a refund when it is due, unless it was settled by hand. */
export function settleIfStill(account: Account, id: string, status: RefundStatus): void {
  const refund = account.get("refund", id);
  if (refund && moves[refund.status ?? ""]?.includes(status)) settle(account, id, status);
}

const isReturned = (status: RefundStatus) => status !== "failed" && status !== "canceled";

const withRefunded = (charge: Stripe.Charge, amount: number): Stripe.Charge => ({
  ...charge,
  amount_refunded: amount,
  refunded: amount === charge.amount_captured,
});
