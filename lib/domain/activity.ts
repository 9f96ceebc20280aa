import * as v from "valibot";
import { activityFields, brandActivityFields, communityActivityFields, recordTypes } from "../fields/activity.ts";
import { type Stored, shownEntries } from "../fields/field.ts";
import { IntegerParameter, oneOf } from "../values/scalars.ts";
import { Cursor, Day, daysInOrder, Per } from "./page.ts";

/** An audit entry of a member. */
export const Activity = v.object(shownEntries(activityFields, "api"));
export type Activity = v.InferOutput<typeof Activity>;
export type StoredActivity = Stored<typeof activityFields>;

/** An audit entry of a community, or of a member whom a person or an API key changed. */
export const CommunityActivity = v.object(shownEntries(communityActivityFields, "api"));
export type CommunityActivity = v.InferOutput<typeof CommunityActivity>;
export type StoredCommunityActivity = Stored<typeof communityActivityFields>;

export const BrandActivity = v.object(shownEntries(brandActivityFields, "api"));
export type BrandActivity = v.InferOutput<typeof BrandActivity>;
export type StoredBrandActivity = Stored<typeof brandActivityFields>;

export const ActivityQuery = v.object({ per: Per, cursor: Cursor });

export const CommunityActivityQuery = v.pipe(
  v.object({
    actor_id: v.optional(IntegerParameter),
    type: v.optional(oneOf(recordTypes)),
    from: v.optional(Day),
    to: v.optional(Day),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(daysInOrder(), ["to"]),
);
export type CommunityActivityQuery = v.InferOutput<typeof CommunityActivityQuery>;

const pageEntries = { has_more: v.boolean(), next_cursor: v.nullable(v.string()) };

export const ActivityPage = v.object({ ...pageEntries, data: v.array(Activity) });

export const CommunityActivityPage = v.object({ ...pageEntries, data: v.array(CommunityActivity) });

export const BrandActivityPage = v.object({ ...pageEntries, data: v.array(BrandActivity) });
