import type Stripe from "stripe";

export type RefundStatus = "pending" | "requires_action" | "succeeded" | "failed" | "canceled";

type RefundFields = {
  readonly id: string;
  readonly created: number;
  readonly charge: Stripe.Charge;
  readonly amount: number;
  readonly reason: Stripe.Refund.Reason | null;
  readonly metadata: Stripe.Metadata;
  readonly status: RefundStatus;
};

export function refundObject({ id, created, charge, amount, reason, metadata, status }: RefundFields): Stripe.Refund {
  return {
    id,
    object: "refund",
    amount,
    balance_transaction: id.replace("re_", "txn_"),
    charge: charge.id,
    created,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: {
      card: { reference_status: "pending", reference_type: "acquirer_reference_number", type: "refund" },
      type: "card",
    },
    metadata,
    payment_intent: charge.payment_intent,
    payment_method: charge.payment_method,
    ...(status === "pending" && { pending_reason: "processing" as const }),
    ...(status === "failed" && { failure_reason: "unknown" }),
    reason,
    receipt_number: null,
    source_transfer_reversal: null,
    status,
    transfer_reversal: null,
  };
}
