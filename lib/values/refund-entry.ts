import * as v from "valibot";
import { documented } from "./documented.ts";
import { Cents, Id, oneOf, Timestamp } from "./scalars.ts";

/** A refund, as the member's `metadata.refunds` lists it. */
export const RefundEntry = documented(
  v.object({
    refund_id: v.string(),
    charge_id: v.string(),
    amount_cents: Cents,
    reason: oneOf(["requested_by_customer", "duplicate", "fraudulent", "unspecified"]),
    status: oneOf(["pending", "succeeded", "failed", "canceled", "requires_action"]),
    note: v.nullable(v.string()),
    issued_at: Timestamp,
    issued_by: v.nullable(Id),
  }),
  {
    refund_id: ["Identifier of the refund in Stripe.", "re_3TUQmN2eZvKYlo2C1a2b3c4d"],
    charge_id: ["Identifier of the refunded charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
    amount_cents: ["Refunded amount in US cents.", 500],
    reason: "Reason for the refund. `unspecified` if a refund made in Stripe has none.",
    status: ["Status of the refund in Stripe. All but `failed` and `canceled` count as refunded.", "succeeded"],
    note: ["Note given with the request. `null` if there is none.", "Bottle arrived broken"],
    issued_at: ["Time at which the refund was requested.", "2026-11-05T16:20:00.000Z"],
    issued_by: ["Identifier of the user who issued the refund. `null` for a refund made in Stripe.", 3],
  },
);
export type RefundEntry = v.InferOutput<typeof RefundEntry>;
