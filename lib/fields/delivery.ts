import * as v from "valibot";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/delivery.json";

/**
 * Why an attempt failed, if no status says so: no complete answer in time, no connection, a certificate that is not
 * valid, a redirect, an address that must not be connected to, a status that is not 2xx.
 */
const AttemptError = v.picklist(["timeout", "connection", "tls", "redirect", "address_refused", "status"]);
export type AttemptError = v.InferOutput<typeof AttemptError>;

const outcome = {
  status_code: v.nullable(v.number()),
  duration_ms: v.number(),
  error: v.nullable(AttemptError),
};

/** What came of one attempt to deliver an event. */
export const Outcome = v.object(outcome);
export type Outcome = v.InferOutput<typeof Outcome>;

export const Attempt = v.object({ at: Timestamp, ...outcome });
export type Attempt = v.InferOutput<typeof Attempt>;

export const DeliveryStatus = oneOf(["pending", "delivered", "failed"]);

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `attempt` notes how an attempt went, or that there will be no other. `server` stores the delivery. */
  readonly set: "attempt" | "server";
  readonly shown: "api";
};

/** The body and the attempts are not personal, as events hold ids, statuses and sums. */
export const deliveryFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api"], personal: false },
  event_id: { stored: v.string(), set: ["server"], shown: ["api"], personal: false },
  event_type: { stored: v.string(), set: ["server"], shown: ["api"], personal: false },
  status: { stored: DeliveryStatus, set: ["attempt", "server"], shown: ["api"], personal: false },
  /** The last of them. */
  attempts: { stored: v.array(Attempt), set: ["attempt", "server"], shown: ["api"], personal: false },
  /** How many there were. Earlier versions kept all attempts, and not their number. */
  attempts_made: { stored: v.number(), before: 0, set: ["attempt", "server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  destination_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** The event as it is sent: its JSON. */
  body: { stored: v.string(), set: ["server"], shown: [], personal: false },
  /** It tells a disabled destination that it is disabled. */
  is_last: { stored: v.boolean(), before: false, set: ["server"], shown: [], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: [], personal: false },
});
