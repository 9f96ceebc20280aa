import * as v from "valibot";
import { LastingRight } from "../values/lasting-right.ts";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/destination.json";

/** The receiver responded 410, attempts kept failing, the community was transferred, or the table was restored. */
const DisabledReason = v.picklist(["gone", "failing", "owner_changed", "restored"]);
export type DisabledReason = v.InferOutput<typeof DisabledReason>;

/** The failed attempts since the last success. Counting stops once they suffice to disable the destination. */
const Failures = v.object({
  attempts: v.number(),
  /** The first delivery that failed. */
  delivery_id: Id,
  /** Whether more than one delivery has failed. */
  of_several: v.boolean(),
});
export type Failures = v.InferOutput<typeof Failures>;

const PreviousSecret = v.object({ secret: v.string(), until: Timestamp });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `attempt` stores the outcome of a delivery attempt. `server` sets the values that no request contains. */
  readonly set: "post" | "patch" | "rotate" | "attempt" | "server";
  readonly shown: "api" | "event" | "activity";
};

const given = ["post", "patch"] as const;
const secret = ["rotate", "server"] as const;

/** Events do not contain the URL, because it may include the receiver's credentials. */
export const destinationFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api", "event"], personal: false },
  url: { stored: v.string(), set: given, shown: ["api", "activity"], personal: false },
  events: { stored: v.array(v.string()), set: given, shown: ["api", "activity"], personal: false },
  description: { stored: v.string(), set: given, shown: ["api", "event", "activity"], personal: false },
  status: {
    stored: oneOf(["enabled", "disabled"]),
    set: ["patch", "server"],
    shown: ["api", "event", "activity"],
    personal: false,
  },
  disabled_reason: { stored: v.nullable(DisabledReason), set: ["server"], shown: ["api", "event"], personal: false },
  secret_hint: { stored: v.string(), set: secret, shown: ["api"], personal: false },
  last_success_at: { stored: v.nullable(Timestamp), set: ["attempt"], shown: ["api"], personal: false },
  failing_since: { stored: v.nullable(Timestamp), set: ["attempt", "server"], shown: ["api"], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: ["api", "event"], personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** The secret, encrypted (`lib/delivery/sealing.ts`). */
  secret: { stored: v.string(), set: secret, shown: [], personal: false },
  /** The previous secret. It also signs events until the time in `until`. */
  previous: { stored: v.nullable(PreviousSecret), set: ["rotate"], shown: [], personal: false },
  /** When the destination was last enabled. Deliveries that were pending before are dropped. */
  enabled_at: { stored: Timestamp, set: ["server"], shown: [], personal: false },
  /** Until this time, deliveries use the queue of slow destinations. */
  slow_until: { stored: Timestamp, before: undefined, set: ["attempt"], shown: [], personal: false },
  failures: { stored: Failures, before: undefined, set: ["attempt", "server"], shown: [], personal: false },
  /** The right under which the destination was created or last enabled. */
  right: { stored: LastingRight, before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented by every edit, but not by delivery attempts. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
