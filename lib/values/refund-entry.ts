import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "./scalars.ts";

/** A refund in the member's `metadata.refunds`. */
export const RefundEntry = v.object({
  refund_id: v.string(),
  charge_id: v.string(),
  amount_cents: Cents,
  reason: oneOf(["requested_by_customer", "duplicate", "fraudulent", "unspecified"]),
  status: oneOf(["pending", "succeeded", "failed", "canceled", "requires_action"]),
  note: v.nullable(v.string()),
  issued_at: Timestamp,
  issued_by: v.nullable(Id),
});
export type RefundEntry = v.InferOutput<typeof RefundEntry>;
