import * as v from "valibot";
import { Id, oneOf, trimmed } from "../values/scalars.ts";
import { PageQuery, Total } from "./page.ts";

/** A community in discovery. Its id is the UUID. */
export const Listing = v.object({
  id: v.pipe(v.string(), v.uuid()),
  community_id: Id,
  name: v.string(),
  slug: v.string(),
  member_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
  avatar_url: v.nullable(v.string()),
  tier_badge: v.nullable(v.string()),
  is_member: v.boolean(),
});

export const ListingPage = v.object({
  total: Total,
  has_more: v.boolean(),
  page: v.number(),
  per: v.number(),
  data: v.array(Listing),
});

export const ListingQuery = v.object({
  ...PageQuery.entries,
  query: v.optional(trimmed(0, 100), ""),
  filter: v.optional(oneOf(["all", "trending", "my_communities"]), "all"),
});
