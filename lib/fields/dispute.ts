import * as v from "valibot";
import { Cents, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/dispute.json";

const CentsByDay = v.record(v.string(), v.number());

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` copies the data of Stripe. */
  readonly set: "sync";
  /** `export` is the person's export of their own data. */
  readonly shown: "event" | "export";
};

export const disputeFields = defineFields<Terms>()({
  id: { made: v.string(), shown: ["event"] },
  charge_id: { stored: v.string(), set: ["sync"], shown: ["event", "export"], personal: false },
  amount_cents: { stored: Cents, set: ["sync"], shown: ["event", "export"], personal: false },
  status: { stored: v.string(), set: ["sync"], shown: ["event", "export"], personal: false },

  dispute_id: { stored: v.string(), set: ["sync"], shown: ["export"], personal: false },
  /** The latest final status of the dispute. An appeal reopens a lost dispute. */
  closed_as: { stored: v.string(), before: undefined, set: ["sync"], shown: [], personal: false },
  /** Lost amounts in US cents, by the UTC day of the loss. Negative on the day on which the loss is reversed. */
  lost_cents_by_day: { stored: CentsByDay, before: undefined, set: ["sync"], shown: [], personal: false },
  /** Why the payment was disputed, in Stripe's words. */
  reason: { stored: v.string(), before: undefined, set: ["sync"], shown: [], personal: false },
  /** Until when the dispute can be answered. */
  evidence_due_at: { stored: v.nullable(Timestamp), before: undefined, set: ["sync"], shown: [], personal: false },
  created_at: { stored: Timestamp, set: ["sync"], shown: ["export"], personal: false },
});
