import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/transaction.json";

export const transactionTypes = ["payment", "refund", "dispute"] as const;

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` derives the item from the payment, refund or dispute. */
  readonly set: "sync";
  readonly shown: "api";
};

const synced = ["sync"] as const;
const StripeId = v.nullable(v.string());
const Member = v.object({ id: Id, name: v.nullable(v.string()) });

/** A payment, refund or dispute in the list of its community. */
export const transactionFields = defineFields<Terms>()({
  id: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  type: { stored: oneOf(transactionTypes), set: synced, shown: ["api"], personal: false },
  status: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  day: { made: v.string(), shown: ["api"] },
  at: { stored: Timestamp, set: synced, shown: ["api"], personal: false },
  amount_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  member: { made: Member, shown: ["api"] },
  period_start: { stored: v.nullable(Timestamp), set: synced, shown: ["api"], personal: false },
  period_end: { stored: v.nullable(Timestamp), set: synced, shown: ["api"], personal: false },
  charge_id: { stored: StripeId, set: synced, shown: ["api"], personal: false },
  invoice_id: { stored: StripeId, set: synced, shown: ["api"], personal: false },
  refund_id: { made: StripeId, shown: ["api"] },
  dispute_id: { made: StripeId, shown: ["api"] },
  stripe_url: { made: v.string(), shown: ["api"] },
  invoice_url: { made: StripeId, shown: ["api"] },
  /** Stripe's link when the item was written. Not updated, so that a new link alone causes no write. */
  receipt_url: { stored: StripeId, before: null, set: synced, shown: ["api"], personal: { erased: null } },
  reason: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: false },
  evidence_due_at: { stored: v.nullable(Timestamp), set: synced, shown: ["api"], personal: false },

  member_id: { stored: Id, set: synced, shown: [], personal: false },
});
