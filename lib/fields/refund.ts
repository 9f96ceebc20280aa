import * as v from "valibot";
import { Cents, Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields, shownEntries } from "./field.ts";
import type oldest from "./oldest/refund.json";

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` copies the data of Stripe. `request` is the API request that issues the refund. */
  readonly set: "sync" | "request" | "import";
  /** `export` is the person's export of their own data. */
  readonly shown: "api" | "event" | "export";
};

const synced = ["sync", "import"] as const;
const requested = ["request", "import"] as const;
const everywhere = ["api", "event", "export"] as const;

export const refundFields = defineFields<Terms>()({
  refund_id: { stored: v.string(), set: synced, shown: everywhere, personal: false },
  charge_id: { stored: v.string(), set: synced, shown: everywhere, personal: false },
  amount_cents: { stored: Cents, set: synced, shown: everywhere, personal: false },
  reason: {
    stored: oneOf(["requested_by_customer", "duplicate", "fraudulent", "unspecified"]),
    set: ["sync", "request", "import"],
    shown: everywhere,
    personal: false,
  },
  status: {
    stored: oneOf(["pending", "succeeded", "failed", "canceled", "requires_action"]),
    set: synced,
    shown: everywhere,
    personal: false,
  },
  note: { stored: v.nullable(v.string()), set: requested, shown: ["api", "export"], personal: { erased: null } },
  issued_at: { stored: Timestamp, set: synced, shown: everywhere, personal: false },
  issued_by: { stored: v.nullable(Id), set: requested, shown: everywhere, personal: false },

  /** The operation that issued the refund. Null for a refund from Stripe's dashboard. */
  operation_id: { stored: v.nullable(v.string()), set: ["sync"], shown: [], personal: false },
});

/** A refund as listed in `metadata.refunds` of the member. */
export const RefundEntry = v.object(shownEntries(refundFields, "api"));
export type RefundEntry = v.InferOutput<typeof RefundEntry>;
