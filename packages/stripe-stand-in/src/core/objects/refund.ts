import type Stripe from "stripe";
import * as v from "valibot";
import { nulls } from "./common.ts";

export const RefundStatus = v.picklist(["pending", "requires_action", "succeeded", "failed", "canceled"]);
export type RefundStatus = v.InferOutput<typeof RefundStatus>;

type NewRefund = Pick<Stripe.Refund, "id" | "created" | "amount" | "reason" | "metadata"> & {
  readonly charge: Stripe.Charge;
  readonly status: RefundStatus;
};

export const refundObject = ({ charge, ...given }: NewRefund): Stripe.Refund => ({
  ...given,
  object: "refund",
  balance_transaction: given.id.replace("re_", "txn_"),
  charge: charge.id,
  currency: charge.currency,
  customer: charge.customer,
  destination_details: {
    card: { reference_status: "pending", reference_type: "acquirer_reference_number", type: "refund" },
    type: "card",
  },
  payment_intent: charge.payment_intent,
  payment_method: charge.payment_method,
  ...(given.status === "pending" && { pending_reason: "processing" as const }),
  ...(given.status === "failed" && { failure_reason: "unknown" }),
  ...nulls("customer_account receipt_number source_transfer_reversal transfer_reversal"),
});
