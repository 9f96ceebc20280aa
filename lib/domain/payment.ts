import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { card, paymentFields } from "../fields/payment.ts";
import { Cents, Timestamp } from "../values/scalars.ts";
import { Cursor, Per } from "./page.ts";

export const Invoice = v.object(shownEntries(paymentFields, "api"));
export type Invoice = v.InferOutput<typeof Invoice>;

export const PaymentHistoryQuery = v.object({ per: Per, cursor: Cursor });

export const PaymentHistoryPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Invoice),
});

/** What Stripe holds of a subscription at this moment. */
export const SubscriptionDetails = v.object({
  id: v.string(),
  status: v.string(),
  current_period_start: Timestamp,
  current_period_end: Timestamp,
  trial_start: v.nullable(Timestamp),
  trial_end: v.nullable(Timestamp),
  cancel_at_period_end: v.boolean(),
  cancel_at: v.nullable(Timestamp),
  canceled_at: v.nullable(Timestamp),
  ended_at: v.nullable(Timestamp),
  collection_method: v.string(),
  price: v.object({
    id: v.string(),
    unit_amount_cents: v.nullable(Cents),
    currency: v.string(),
    interval: v.nullable(v.string()),
  }),
  default_payment_method: v.nullable(
    v.object({ ...card, exp_month: v.nullable(v.number()), exp_year: v.nullable(v.number()) }),
  ),
  latest_invoice: v.nullable(
    v.object({
      id: v.string(),
      status: v.nullable(v.string()),
      amount_due_cents: Cents,
      hosted_invoice_url: v.nullable(v.string()),
      attempts_made: v.number(),
      next_attempt_at: v.nullable(Timestamp),
    }),
  ),
  cancellation_feedback: v.nullable(v.string()),
  cancellation_comment: v.nullable(v.string()),
  in_sync: v.boolean(),
});
export type SubscriptionDetails = v.InferOutput<typeof SubscriptionDetails>;
