import type Stripe from "stripe";
import { nulls } from "./common.ts";

const noEvidence: Stripe.Dispute.Evidence = {
  enhanced_evidence: {},
  ...nulls("access_activity_log billing_address cancellation_policy cancellation_policy_disclosure"),
  ...nulls("cancellation_rebuttal customer_communication customer_email_address customer_name customer_purchase_ip"),
  ...nulls("customer_signature duplicate_charge_documentation duplicate_charge_explanation duplicate_charge_id"),
  ...nulls("product_description receipt refund_policy refund_policy_disclosure refund_refusal_explanation"),
  ...nulls("service_date service_documentation shipping_address shipping_carrier shipping_date"),
  ...nulls("shipping_documentation shipping_tracking_number uncategorized_file uncategorized_text"),
};

type NewDispute = Pick<Stripe.Dispute, "id" | "created" | "status"> & { readonly charge: Stripe.Charge };

export const disputeObject = ({ id, created, charge, status }: NewDispute): Stripe.Dispute => ({
  id,
  object: "dispute",
  amount: charge.amount,
  balance_transactions: [],
  charge: charge.id,
  created,
  currency: charge.currency,
  enhanced_eligibility_types: [],
  evidence: noEvidence,
  evidence_details: {
    due_by: created + 14 * 86_400,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_count: 0,
    submission_method: "manual",
  },
  intended_submission_method: null,
  is_charge_refundable: status.startsWith("warning_"),
  livemode: false,
  metadata: {},
  payment_intent: charge.payment_intent,
  reason: "fraudulent",
  status,
});
