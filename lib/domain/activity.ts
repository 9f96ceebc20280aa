import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Cursor, cursorPageDocs, cursorQueryDocs, Per } from "./page.ts";

const State = v.nullable(v.record(v.string(), v.unknown()));

const entryDocs = {
  id: ["Unique identifier of the entry.", 7301],
  at: ["Time of the action.", "2026-11-05T16:20:01.000Z"],
  actor: "Who performed the action.",
  request_id: [
    "The `x-request-id` of the request that made the change. `null` if no request made it.",
    "FiX2xhRSFiAEMgw=",
  ],
} as const;

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
      "erased",
    ]),
    actor: documented(v.object({ type: v.picklist(["user", "stripe", "system"]), id: v.nullable(Id) }), {
      type: "Type of actor: `user`; `stripe` for changes in Stripe, including those at the end of a period; `system` for Odis itself.",
      id: ["Identifier of the user. `null` for other actors.", 3],
    }),
    request_id: v.nullable(v.string()),
    before: State,
    after: State,
  }),
  {
    ...entryDocs,
    action: ["Type of the action.", "refunded"],
    before: "State before the change. `null` if nothing was there before.",
    after: ["State after the change.", { amount_cents: 500, charge_id: "ch_3TUQmN2eZvKYlo2C0z9y8x7w" }],
  },
);
export type Activity = v.InferOutput<typeof Activity>;

const { id, at, actor, request_id, before, after } = Activity.entries;

/** An activity entry of a community: a change of it, its tiers, benefits or event destinations, or an import. Entries never change. */
export const CommunityActivity = documented(
  v.object({
    id,
    at,
    action: v.picklist(["created", "edited", "archived", "unarchived", "transferred", "deleted", "members_imported"]),
    record: documented(v.object({ type: v.picklist(["community", "tier", "benefit", "event_destination"]), id: Id }), {
      type: ["Type of the record.", "tier"],
      id: ["Identifier of the record.", 11],
    }),
    actor,
    request_id,
    before,
    after,
  }),
  {
    ...entryDocs,
    action:
      "Type of the action. A request with several changes has one entry. `transferred` (to another owner) takes precedence over `archived` and `unarchived`, which take precedence over `edited`.",
    record: "The record that was changed: the community itself, or one of its tiers, benefits or event destinations.",
    before: [
      "Former values of the fields that changed. `null` if the record was created.",
      { monthly_price_dollars: 25 },
    ],
    after: [
      "New values of the fields that changed. `null` if the record was deleted. For an import, the number of `records` in the request.",
      { monthly_price_dollars: 30 },
    ],
  },
);
export type CommunityActivity = v.InferOutput<typeof CommunityActivity>;

/** An activity entry of a brand. Entries never change. */
export const BrandActivity = documented(
  v.object({ id, at, action: v.picklist(["created", "edited", "deleted"]), actor, request_id, before, after }),
  {
    ...entryDocs,
    action: "Type of the action.",
    before: ["Former values of the fields that changed. `null` if the brand was created.", { name: "Casa Ruiz" }],
    after: ["New values of the fields that changed. `null` if the brand was deleted.", { name: "Casa Ruiz e Hijos" }],
  },
);
export type BrandActivity = v.InferOutput<typeof BrandActivity>;

export const ActivityQuery = documented(v.object({ per: Per, cursor: Cursor }), cursorQueryDocs);

const pageEntries = { has_more: v.boolean(), next_cursor: v.nullable(v.string()) };

export const ActivityPage = documented(v.object({ ...pageEntries, data: v.array(Activity) }), cursorPageDocs);

export const CommunityActivityPage = documented(
  v.object({ ...pageEntries, data: v.array(CommunityActivity) }),
  cursorPageDocs,
);

export const BrandActivityPage = documented(v.object({ ...pageEntries, data: v.array(BrandActivity) }), cursorPageDocs);
