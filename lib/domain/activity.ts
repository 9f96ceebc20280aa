import * as v from "valibot";
import { Cursor, Per } from "./page.ts";
import { Id, Timestamp } from "./scalars.ts";

const Facts = v.nullable(v.record(v.string(), v.unknown()));

/** Who did what to a member, and when; never changed afterwards. */
export const Activity = v.object({
  id: Id,
  at: Timestamp,
  action: v.picklist([
    "joined",
    "imported",
    "status_changed",
    "tier_changed",
    "cancel_scheduled",
    "uncanceled",
    "canceled",
    "refunded",
    "refund_changed",
    "blocked",
    "unblocked",
    "edited",
  ]),
  /** `stripe`: seen at Stripe, done there or by the passing of time. `system`: done by Odis itself. */
  actor: v.object({ type: v.picklist(["user", "stripe", "system"]), id: v.nullable(Id) }),
  request_id: v.nullable(v.string()),
  before: Facts,
  after: Facts,
});
export type Activity = v.InferOutput<typeof Activity>;

export const ActivityQuery = v.object({ per: Per, cursor: Cursor });

export const ActivityPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Activity),
});
