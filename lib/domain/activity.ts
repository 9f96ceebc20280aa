import * as v from "valibot";
import { documented } from "./documented.ts";
import { Cursor, cursorPageDocs, cursorQueryDocs, Per } from "./page.ts";
import { Id, Timestamp } from "./scalars.ts";

const State = v.nullable(v.record(v.string(), v.unknown()));

/** Who did what to a member, and when; never changed afterwards. */
export const Activity = documented(
  v.object({
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
    actor: documented(v.object({ type: v.picklist(["user", "stripe", "system"]), id: v.nullable(Id) }), {
      type: "Kind of actor: a `user`; `stripe` for what was done at Stripe or by the passing of time; `system` for Odis itself.",
      id: ["Identifier of the user. `null` for other actors.", 3],
    }),
    request_id: v.nullable(v.string()),
    before: State,
    after: State,
  }),
  {
    id: ["Unique identifier of the entry.", 7301],
    at: ["Time at which it was done.", "2026-11-05T16:20:01.000Z"],
    action: ["What was done.", "refunded"],
    actor: "Who did it.",
    request_id: ["The `x-request-id` of the request that did it. `null` if no request did.", "FiX2xhRSFiAEMgw="],
    before: "State before the change. `null` if nothing was there before.",
    after: ["State after the change.", { amount_cents: 500, charge_id: "ch_3TUQmN2eZvKYlo2C0z9y8x7w" }],
  },
);
export type Activity = v.InferOutput<typeof Activity>;

export const ActivityQuery = documented(v.object({ per: Per, cursor: Cursor }), cursorQueryDocs);

export const ActivityPage = documented(
  v.object({ has_more: v.boolean(), next_cursor: v.nullable(v.string()), data: v.array(Activity) }),
  cursorPageDocs,
);
