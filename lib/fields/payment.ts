import * as v from "valibot";
import { Cents, Timestamp } from "../values/scalars.ts";
import { defineFields, erasedRecord, shownEntries, storedEntries } from "./field.ts";
import type oldest from "./oldest/payment.json";

/** The fields of a payment method that the API shows. */
export const card = { type: v.string(), brand: v.nullable(v.string()), last4: v.nullable(v.string()) };

const synced = ["sync"] as const;

type ChargeTerms = {
  readonly oldest: keyof (typeof oldest.charges)[number];
  readonly set: "sync";
  readonly shown: "api";
};

/** A charge. Stored as part of its payment. */
const chargeFields = defineFields<ChargeTerms>()({
  id: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  status: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  amount_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  amount_refunded_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  refundable_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  disputed: { stored: v.boolean(), set: synced, shown: ["api"], personal: false },
  failure_message: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: { erased: null } },
  payment_method: { stored: v.nullable(v.object(card)), set: synced, shown: ["api"], personal: { erased: null } },
  receipt_url: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: { erased: null } },
  created_at: { stored: Timestamp, set: synced, shown: ["api"], personal: false },

  /** Collected part of the charge that pays the invoice. */
  paid_cents: { stored: Cents, set: synced, shown: [], personal: false },
});

export const Charge = v.object(shownEntries(chargeFields, "api"));
export type Charge = v.InferOutput<typeof Charge>;
const StoredCharges = v.array(v.object(storedEntries(chargeFields)));

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` copies the data of Stripe. `server` sets values that Stripe does not have. */
  readonly set: "sync" | "server";
  readonly shown: "api";
};

/**
 * An invoice of one of the member's subscriptions, with every attempt to pay it. Stored without Stripe's links, which
 * expire.
 */
export const paymentFields = defineFields<Terms>()({
  id: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  number: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: false },
  status: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: false },
  currency: { stored: v.string(), set: synced, shown: ["api"], personal: false },
  total_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  amount_paid_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  amount_due_cents: { stored: Cents, set: synced, shown: ["api"], personal: false },
  period_start: { stored: Timestamp, set: synced, shown: ["api"], personal: false },
  period_end: { stored: Timestamp, set: synced, shown: ["api"], personal: false },
  created_at: { stored: Timestamp, set: synced, shown: ["api"], personal: false },
  paid_at: { stored: v.nullable(Timestamp), set: synced, shown: ["api"], personal: false },
  hosted_invoice_url: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: false },
  invoice_pdf: { stored: v.nullable(v.string()), set: synced, shown: ["api"], personal: false },
  charges: {
    stored: StoredCharges,
    as: v.array(Charge),
    set: synced,
    shown: ["api"],
    personal: {
      reduced: (charges: v.InferOutput<typeof StoredCharges>) =>
        charges.map((charge) => erasedRecord(chargeFields, charge)),
    },
  },

  customer_id: { stored: v.string(), set: synced, shown: [], personal: false },
  subscription_id: { stored: v.string(), set: synced, shown: [], personal: false },
  /** Amount that was paid outside Stripe, and therefore has no charge. */
  paid_off_stripe_cents: { stored: Cents, set: synced, shown: [], personal: false },
  /** Incremented by every change. */
  revision: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
