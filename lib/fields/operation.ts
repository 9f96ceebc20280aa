import * as v from "valibot";
import { Cents, Id, Timestamp } from "../values/scalars.ts";
import { defineFields, erasedRecord, storedEntries } from "./field.ts";
import type oldest from "./oldest/operation.json";
import { refundFields } from "./refund.ts";

type IntentTerms<Oldest extends string> = {
  readonly oldest: Oldest;
  readonly set: "begin";
  /** `export` is the person's export of their own data. */
  readonly shown: "export";
};

const begun = ["begin"] as const;
/** Null for a membership without a subscription in Stripe. Such an operation is complete as soon as it is stored. */
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
  /** The customer's other invoices in automatic collection. Canceling the subscription stops their collection. */
  collected_invoice_ids: { stored: v.array(v.string()), before: [], set: begun, shown: [], personal: false },
});

const uncancel = defineFields<IntentTerms<"kind" | "subscription_id">>()({
  kind: { stored: v.literal("uncancel"), set: begun, shown: [], personal: false },
  subscription_id,
});

/** What a change charges now. */
const ChangeCharge = v.object({
  /** Since when the change is prorated, in seconds since 1970. */
  at: v.pipe(v.number(), v.safeInteger()),
  cents: Cents,
  credited_cents: Cents,
  /** Whether the period begins anew. */
  is_reset: v.boolean(),
  /** Whether the subscription was free. */
  is_first: v.boolean(),
  /** The price that the subscription had. */
  from_price_id: v.string(),
});

/** Changes the price of a subscription, now or at the end of the period. */
const change = defineFields<
  IntentTerms<"kind" | "subscription_id" | "when" | "price_id" | "tier_id" | "interval" | "cents" | "preview">
>()({
  kind: { stored: v.literal("change"), set: begun, shown: [], personal: false },
  subscription_id: { stored: v.string(), set: begun, shown: [], personal: false },
  when: { stored: v.picklist(["now", "at_period_end"]), set: begun, shown: [], personal: false },
  /** The price of the tier and interval to change to. */
  price_id: { stored: v.string(), set: begun, shown: [], personal: false },
  tier_id: { stored: Id, set: begun, shown: [], personal: false },
  interval: { stored: v.picklist(["month", "year"]), set: begun, shown: [], personal: false },
  /** Amount of the price in US cents. */
  cents: { stored: Cents, set: begun, shown: [], personal: false },
  /** The preview that was confirmed, which cannot be confirmed again. Null without a preview. */
  preview: { stored: v.nullable(v.string()), set: begun, shown: [], personal: false },
  /** Null if nothing is charged now. */
  charge: { stored: v.nullable(ChangeCharge), before: null, set: begun, shown: [], personal: false },
});

/** Drops a scheduled change. */
const unschedule = defineFields<IntentTerms<"kind" | "subscription_id">>()({
  kind: { stored: v.literal("unschedule"), set: begun, shown: [], personal: false },
  subscription_id: { stored: v.string(), set: begun, shown: [], personal: false },
});

/**
 * Cancels and refunds a subscription that is not allowed: its person is blocked or has another live subscription, or
 * its tier was archived.
 */
const reject = defineFields<IntentTerms<"kind" | "subscription_id">>()({
  kind: { stored: v.literal("reject"), set: begun, shown: [], personal: false },
  subscription_id: { stored: v.string(), set: begun, shown: [], personal: false },
  /** The customer's other invoices in automatic collection. Canceling the subscription stops their collection. */
  collected_invoice_ids: { stored: v.array(v.string()), before: [], set: begun, shown: [], personal: false },
});

/**
 * The request of an operation to Stripe. Chosen once and stored before Stripe is called; retries repeat it unchanged.
 */
const Intent = v.variant("kind", [
  v.object(storedEntries(refund)),
  v.object(storedEntries(cancelFields)),
  v.object(storedEntries(uncancel)),
  v.object(storedEntries(reject)),
  v.object(storedEntries(change)),
  v.object(storedEntries(unschedule)),
]);
type Intent = v.InferOutput<typeof Intent>;

const intentFields = { refund, cancel: cancelFields, uncancel, reject, change, unschedule };

/** A price that a subscription schedule in Stripe planned for a subscription. */
export const PlannedPrice = v.object({ stripe_price_id: v.string(), starts_at: Timestamp });
export type PlannedPrice = v.InferOutput<typeof PlannedPrice>;

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `begin` stores the operation before Stripe is called. `proceed` stores its progress. */
  readonly set: "begin" | "proceed";
  readonly shown: never;
};

const proceeding = ["begin", "proceed"] as const;

/**
 * A refund, cancellation, uncancellation, rejection or change of a subscription, from its request to its end. Its id is the
 * `metadata.operation_id` at Stripe and part of the idempotency key, so that any number of retries has one effect.
 */
export const operationFields = defineFields<Terms>()({
  id: { stored: v.string(), set: begun, shown: [], personal: false },
  community_id: { stored: Id, set: begun, shown: [], personal: false },
  member_id: { stored: Id, set: begun, shown: [], personal: false },
  customer_id: { stored: v.string(), set: begun, shown: [], personal: false },
  /** The user who requested the operation. Null if an API key did, or if the system began it. */
  actor_id: { stored: v.nullable(Id), set: begun, shown: [], personal: false },
  /** The API key that requested the operation. */
  api_key_id: { stored: Id, before: undefined, set: begun, shown: [], personal: false },
  request_id: { stored: v.nullable(v.string()), set: begun, shown: [], personal: false },
  intent: {
    stored: Intent,
    set: begun,
    shown: [],
    personal: { reduced: (intent: Intent) => erasedRecord(intentFields[intent.kind], intent) },
  },
  /**
   * Hash of the request body, if the request had an `Idempotency-Key`: a retry must have the same body. Personal,
   * because the body may contain a note or a comment.
   */
  fingerprint: { stored: v.nullable(v.string()), set: begun, shown: [], personal: { erased: null } },
  /** `refused`: Stripe refused the operation. A retry of the request sends the same charge and amount again. */
  state: { stored: v.picklist(["open", "done", "refused"]), set: proceeding, shown: [], personal: false },
  /**
   * Incremented after each refusal and part of the idempotency key, because Stripe repeats its response to a key.
   * Undefined for the first attempt.
   */
  attempt: {
    stored: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    before: undefined,
    set: ["proceed"],
    shown: [],
    personal: false,
  },
  /**
   * The planned prices that are lost when the operation releases the subscription from its schedule. Stored before the
   * release.
   */
  dropped_prices: {
    stored: v.array(PlannedPrice),
    before: undefined,
    set: ["proceed"],
    shown: [],
    personal: false,
  },
  created_at: { stored: Timestamp, set: proceeding, shown: [], personal: false },
});
