import * as v from "valibot";
import { Id, oneOf, Timestamp } from "../values/scalars.ts";
import { defineFields } from "./field.ts";
import type oldest from "./oldest/delivery.json";

/**
 * The cause of a failed attempt: no complete response in time, no connection, an invalid certificate, a redirect, an
 * address outside the public internet, or a status other than 2xx.
 */
const AttemptError = v.picklist(["timeout", "connection", "tls", "redirect", "address_refused", "status"]);
export type AttemptError = v.InferOutput<typeof AttemptError>;

const outcome = {
  status_code: v.nullable(v.number()),
  duration_ms: v.number(),
  error: v.nullable(AttemptError),
};

/** The outcome of one attempt to deliver an event. */
export const Outcome = v.object(outcome);
export type Outcome = v.InferOutput<typeof Outcome>;

export const Attempt = v.object({ at: Timestamp, ...outcome });
export type Attempt = v.InferOutput<typeof Attempt>;

export const DeliveryStatus = oneOf(["pending", "delivered", "failed"]);

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `attempt` stores the outcome of an attempt, or that no further attempt follows. `server` stores the delivery. */
  readonly set: "attempt" | "server";
  readonly shown: "api";
};

/** No field is personal: the event in `body` contains only ids, statuses and amounts. */
export const deliveryFields = defineFields<Terms>()({
  id: { stored: Id, set: ["server"], shown: ["api"], personal: false },
  event_id: { stored: v.string(), set: ["server"], shown: ["api"], personal: false },
  event_type: { stored: v.string(), set: ["server"], shown: ["api"], personal: false },
  status: { stored: DeliveryStatus, set: ["attempt", "server"], shown: ["api"], personal: false },
  /** The latest attempts, oldest first. */
  attempts: { stored: v.array(Attempt), set: ["attempt", "server"], shown: ["api"], personal: false },
  /** Number of all attempts. Earlier versions stored every attempt, and no number. */
  attempts_made: { stored: v.number(), before: 0, set: ["attempt", "server"], shown: ["api"], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  destination_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** The event as JSON in deliveries of earlier versions. Empty if the event is stored by itself. */
  body: { stored: v.string(), set: ["server"], shown: [], personal: false },
  /** Whether this is the last event, which tells the receiver that its destination was disabled. */
  is_last: { stored: v.boolean(), before: false, set: ["server"], shown: [], personal: false },
  created_at: { stored: Timestamp, set: ["server"], shown: [], personal: false },
});
