import type Stripe from "stripe";
import * as v from "valibot";
import { schedule } from "./agenda.ts";
import * as events from "./events.ts";
import { invalid, notFound } from "./failure.ts";
import { refuseIfAsked } from "./faults.ts";
import { paging } from "./lists.ts";
import { idOf } from "./objects/common.ts";
import { type RefundStatus, refundObject } from "./objects/refund.ts";
import { integer, merged, metadata, text } from "./parameters.ts";
import { day } from "./periods.ts";
import type { World } from "./world.ts";

export const RefundCreate = v.strictObject({
  charge: v.optional(text),
  payment_intent: v.optional(text),
  amount: v.optional(integer({ min: 1 })),
  reason: v.optional(v.picklist(["duplicate", "fraudulent", "requested_by_customer"])),
  metadata: v.optional(metadata),
});
export const RefundUpdate = v.strictObject({ metadata: v.optional(metadata) });
export const RefundList = v.strictObject({
  ...paging,
  charge: v.optional(text),
  payment_intent: v.optional(text),
});

type Create = v.InferOutput<typeof RefundCreate>;

/** How long a refund stays pending. */
const settlement = 5 * day;

export function create(world: World, params: Create): Stripe.Refund {
  const charge = refundable(world, params);
  refuseIfAsked(world.faults);
  const left = charge.amount_captured - charge.amount_refunded;
  const { amount = left } = params;
  if (amount > left) {
    const [of, most] = charge.amount_refunded > 0 ? ["unrefunded amount on charge", left] : ["charge amount", left];
    const inWords = `Refund amount (${money(amount, charge)}) is greater than ${of} (${money(most, charge)})`;
    throw invalid(inWords, { param: "amount" });
  }

  const behaviour = world.get("card", charge.payment_method)?.behaviour;
  const status = behaviour === "pendingRefund" ? "pending" : world.faults.refund_status;
  const refund = refundObject({
    created: world.now(),
    charge,
    amount,
    reason: params.reason ?? null,
    metadata: merged(null, params.metadata),
    status,
  });
  events.create(world, "refund", refund, "refund.created");
  if (isReturned(status)) {
    const changed = withRefunded(charge, charge.amount_refunded + amount);
    events.replace(world, "charge", changed, "charge.refunded");
  } else if (status === "failed") events.emit(world, "refund.failed", refund);

  if (behaviour === "refundFail") schedule(world, world.now(), { do: "settle", refund: refund.id, status: "failed" });
  else if (status === "pending") {
    const at = world.now() + (behaviour === "pendingRefund" ? 0 : settlement);
    schedule(world, at, { do: "settle", refund: refund.id, status: "succeeded" });
  }
  return refund;
}

/** The charge to refund, if one can still refund it. */
function refundable(world: World, { charge: id, payment_intent: intentId }: Create): Stripe.Charge {
  if (id === undefined && intentId === undefined)
    throw invalid("One of the following params should be provided for this request: payment_intent or charge.");
  const intent = intentId === undefined ? undefined : world.get("payment_intent", intentId);
  if (intentId !== undefined && !intent) throw notFound("payment_intent", intentId, "payment_intent");
  const found = intent ? world.get("charge", intent.latest_charge) : world.get("charge", id);
  if (!found && !intent) throw notFound("charge", id ?? "", "charge");
  const unpaid = intent?.id ?? idOf(found?.payment_intent);
  if (found?.status !== "succeeded")
    throw invalid(`This PaymentIntent (${unpaid}) does not have a successful charge to refund.`);
  if (id !== undefined && found.id !== id)
    throw invalid(`The charge '${id}' does not belong to the PaymentIntent '${intentId}'.`, { param: "charge" });

  if (found.amount_refunded >= found.amount_captured)
    throw invalid(`Charge ${found.id} has already been refunded.`, { code: "charge_already_refunded" });
  if (isChargedBack(world, found))
    throw invalid(`Charge ${found.id} has been charged back; cannot issue a refund.`, { code: "charge_disputed" });
  return found;
}

/** Whether its money is with the bank. An inquiry has moved none, and a dispute that was won has brought it back. */
const isChargedBack = (world: World, charge: Stripe.Charge) =>
  [...world.rows("dispute")].some((dispute) => dispute.charge === charge.id && !dispute.is_charge_refundable);

export function update(world: World, id: string, params: v.InferOutput<typeof RefundUpdate>): Stripe.Refund {
  const refund = find(world, id);
  const updated = { ...refund, metadata: merged(refund.metadata, params.metadata) };
  events.replace(world, "refund", updated, "refund.updated");
  return updated;
}

/** What may still become of a refund: one that has succeeded can come back, days later. */
const moves: Readonly<Record<string, readonly RefundStatus[]>> = {
  pending: ["succeeded", "failed", "canceled", "requires_action"],
  requires_action: ["pending", "succeeded", "failed", "canceled"],
  succeeded: ["failed"],
};

/**
 * Settles a refund, or lets it fail: then the charge has its money again.
 *
 * @throws ApiFailure where a refund cannot become that any more
 */
export function settle(world: World, id: string, status: RefundStatus): Stripe.Refund {
  const refund = find(world, id);
  if (!moves[refund.status ?? ""]?.includes(status))
    throw invalid(`A ${refund.status} refund cannot become ${status}.`);
  const { pending_reason: _, ...rest } = refund;
  const settled: Stripe.Refund = { ...rest, status, ...(status === "failed" && { failure_reason: "unknown" }) };
  events.replace(world, "refund", settled, "refund.updated");
  events.emit(world, "charge.refund.updated", settled);
  if (status === "failed") events.emit(world, "refund.failed", settled);
  const charge = world.get("charge", refund.charge);
  // Whether Stripe counts it so as well is not documented; whoever sums up refunds by their status is right either way.
  if (charge && !isReturned(status)) world.put("charge", withRefunded(charge, charge.amount_refunded - refund.amount));
  return settled;
}

/** `settle` when its time has come, unless it was settled by hand before. */
export function settleIfStill(world: World, id: string, status: RefundStatus): void {
  const refund = world.get("refund", id);
  if (refund && moves[refund.status ?? ""]?.includes(status)) settle(world, id, status);
}

function find(world: World, id: string): Stripe.Refund {
  const refund = world.get("refund", id);
  if (!refund) throw notFound("refund", id);
  return refund;
}

const isReturned = (status: RefundStatus) => status !== "failed" && status !== "canceled";

const withRefunded = (charge: Stripe.Charge, amount: number): Stripe.Charge => ({
  ...charge,
  amount_refunded: amount,
  refunded: amount === charge.amount_captured,
});

const money = (cents: number, { currency }: Stripe.Charge) =>
  new Intl.NumberFormat("en-US", { style: "currency", currency }).format(cents / 100);
