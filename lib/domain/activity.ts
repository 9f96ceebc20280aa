import * as v from "valibot";
import { Id, Timestamp } from "../values/scalars.ts";
import { Cursor, Per } from "./page.ts";

const State = v.nullable(v.record(v.string(), v.unknown()));

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
    "erased",
  ]),
  actor: v.object({ type: v.picklist(["user", "stripe", "system"]), id: v.nullable(Id) }),
  request_id: v.nullable(v.string()),
  before: State,
  after: State,
});
export type Activity = v.InferOutput<typeof Activity>;

const { id, at, actor, request_id, before, after } = Activity.entries;

/** An activity entry of a community: a change of it, its tiers, benefits or event destinations, or an import. Entries never change. */
export const CommunityActivity = v.object({
  id,
  at,
  action: v.picklist(["created", "edited", "archived", "unarchived", "transferred", "deleted", "members_imported"]),
  record: v.object({ type: v.picklist(["community", "tier", "benefit", "event_destination"]), id: Id }),
  actor,
  request_id,
  before,
  after,
});
export type CommunityActivity = v.InferOutput<typeof CommunityActivity>;

/** An activity entry of a brand. Entries never change. */
export const BrandActivity = v.object({
  id,
  at,
  action: v.picklist(["created", "edited", "deleted"]),
  actor,
  request_id,
  before,
  after,
});
export type BrandActivity = v.InferOutput<typeof BrandActivity>;

export const ActivityQuery = v.object({ per: Per, cursor: Cursor });

const pageEntries = { has_more: v.boolean(), next_cursor: v.nullable(v.string()) };

export const ActivityPage = v.object({ ...pageEntries, data: v.array(Activity) });

export const CommunityActivityPage = v.object({ ...pageEntries, data: v.array(CommunityActivity) });

export const BrandActivityPage = v.object({ ...pageEntries, data: v.array(BrandActivity) });
