import * as v from "valibot";
import { Cents, Id, Timestamp } from "../values/scalars.ts";
import { defineFields, erasedRecord, storedEntries } from "./field.ts";
import type oldest from "./oldest/operation.json";
import { refundFields } from "./refund.ts";

type IntentTerms<Oldest extends string> = {
  readonly oldest: Oldest;
  readonly set: "begin";
  /** `export` is a person's own data. */
  readonly shown: "export";
};

const begun = ["begin"] as const;
/** Null for a membership without a subscription in Stripe: the operation is done when it is stored. */
const subscription_id = { stored: v.nullable(v.string()), set: begun, shown: [], personal: false } as const;

const refund = defineFields<IntentTerms<keyof typeof oldest.intent>>()({
  kind: { stored: v.literal("refund"), set: begun, shown: [], personal: false },
  charge_id: { stored: v.string(), set: begun, shown: [], personal: false },
  amount_cents: { stored: Cents, set: begun, shown: [], personal: false },
  reason: { stored: refundFields.reason.stored, set: begun, shown: [], personal: false },
  note: { stored: v.nullable(v.string()), set: begun, shown: [], personal: { erased: null } },
});

export const cancelFields = defineFields<IntentTerms<"kind" | "subscription_id" | "mode" | "feedback" | "comment">>()({
  kind: { stored: v.literal("cancel"), set: begun, shown: [], personal: false },
  subscription_id,
  mode: { stored: v.picklist(["at_period_end", "immediately"]), set: begun, shown: ["export"], personal: false },
  feedback: { stored: v.nullable(v.string()), set: begun, shown: ["export"], personal: false },
  comment: { stored: v.nullable(v.string()), set: begun, shown: ["export"], personal: { erased: null } },
});

const uncancel = defineFields<IntentTerms<"kind" | "subscription_id">>()({
  kind: { stored: v.literal("uncancel"), set: begun, shown: [], personal: false },
  subscription_id,
});

/** A subscription that must not be: its person is blocked, or has another one that is live. */
const reject = defineFields<IntentTerms<"kind" | "subscription_id">>()({
  kind: { stored: v.literal("reject"), set: begun, shown: [], personal: false },
  subscription_id: { stored: v.string(), set: begun, shown: [], personal: false },
  /** The customer's other invoices that are being collected, which the cancellation stops. */
  collected_invoice_ids: { stored: v.array(v.string()), before: [], set: begun, shown: [], personal: false },
});

/** What an operation asks of Stripe: chosen once, stored before Stripe is asked, and only ever repeated. */
const Intent = v.variant("kind", [
  v.object(storedEntries(refund)),
  v.object(storedEntries(cancelFields)),
  v.object(storedEntries(uncancel)),
  v.object(storedEntries(reject)),
]);
type Intent = v.InferOutput<typeof Intent>;

const intentFields = { refund, cancel: cancelFields, uncancel, reject };

/** A price that a subscription schedule in Stripe planned for a subscription. */
export const PlannedPrice = v.object({ stripe_price_id: v.string(), starts_at: Timestamp });
export type PlannedPrice = v.InferOutput<typeof PlannedPrice>;

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `begin` stores the operation before Stripe is asked. `proceed` notes what has come of it. */
  readonly set: "begin" | "proceed";
  readonly shown: never;
};

const proceeding = ["begin", "proceed"] as const;

/**
 * One thing done with someone's money, from intent to end. Its id is `metadata.operation_id` at Stripe and part of the
 * idempotency key, so that repeating it, however often and by whomever, has one effect.
 */
export const operationFields = defineFields<Terms>()({
  id: { stored: v.string(), set: begun, shown: [], personal: false },
  community_id: { stored: Id, set: begun, shown: [], personal: false },
  member_id: { stored: Id, set: begun, shown: [], personal: false },
  customer_id: { stored: v.string(), set: begun, shown: [], personal: false },
  /** Who asked; null for what the system does by itself. */
  actor_id: { stored: v.nullable(Id), set: begun, shown: [], personal: false },
  request_id: { stored: v.nullable(v.string()), set: begun, shown: [], personal: false },
  intent: {
    stored: Intent,
    set: begun,
    shown: [],
    personal: { reduced: (intent: Intent) => erasedRecord(intentFields[intent.kind], intent) },
  },
  /**
   * Of the request's body, where it carried an `Idempotency-Key`: the same key must come with the same body. The body may
   * have held a note or a comment.
   */
  fingerprint: { stored: v.nullable(v.string()), set: begun, shown: [], personal: { erased: null } },
  /** `refused`: Stripe would not do it. The same request asks again for the same charge and amount. */
  state: { stored: v.picklist(["open", "done", "refused"]), set: proceeding, shown: [], personal: false },
  /** Grows with each refusal, as Stripe gives the same answer to the same idempotency key; absent for the first. */
  attempt: {
    stored: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    before: undefined,
    set: ["proceed"],
    shown: [],
    personal: false,
  },
  /** What was planned by the schedule that the operation releases the subscription from. Noted before the release. */
  dropped_prices: {
    stored: v.array(PlannedPrice),
    before: undefined,
    set: ["proceed"],
    shown: [],
    personal: false,
  },
  created_at: { stored: Timestamp, set: proceeding, shown: [], personal: false },
});
