import * as v from "valibot";
import { LastingRight } from "../values/lasting-right.ts";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/destination.json";

/** Nobody answers any more, attempts fail, the community has another owner, or the table was restored. */
const DisabledReason = v.picklist(["gone", "failing", "owner_changed", "restored"]);
export type DisabledReason = v.InferOutput<typeof DisabledReason>;

/** The failed attempts since the last success, as far as they are counted. */
const Failures = v.object({
  attempts: v.number(),
  /** The delivery that failed first. */
  delivery_id: Id,
  /** Whether another delivery has failed too. */
  of_several: v.boolean(),
});
export type Failures = v.InferOutput<typeof Failures>;

const PreviousSecret = v.object({ secret: v.string(), until: Timestamp });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `attempt` notes how a delivery went. `server` sets what no request contains. */
  readonly set: "post" | "patch" | "rotate" | "attempt" | "server";
  readonly shown: "api" | "event" | "activity";
};

const given = ["post", "patch"] as const;
const secret = ["rotate", "server"] as const;

/** Events do not show the URL, which may hold what opens the receiver. */
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
  /** The secret before this one, which signs too until then. */
  previous: { stored: v.nullable(PreviousSecret), set: ["rotate"], shown: [], personal: false },
  /** Since when events are sent. What was pending before is dropped. */
  enabled_at: { stored: Timestamp, set: ["server"], shown: [], personal: false },
  /** Until when it counts as slow to answer. */
  slow_until: { stored: Timestamp, before: undefined, set: ["attempt"], shown: [], personal: false },
  failures: { stored: Failures, before: undefined, set: ["attempt", "server"], shown: [], personal: false },
  /** What it was created or enabled under. */
  right: { stored: LastingRight, before: undefined, set: ["server"], shown: [], personal: false },
  /** Rises with every edit, but not with an attempt. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
