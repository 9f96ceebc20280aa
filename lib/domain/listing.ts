import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { Id, oneOf, trimmed } from "../values/scalars.ts";
import { communityDocs } from "./community.ts";
import { PageQuery, pageDocs, pageQueryDocs, Total } from "./page.ts";

/** A community as discovery lists it: its id is the UUID. */
export const Listing = documented(
  v.object({
    id: v.pipe(v.string(), v.uuid()),
    community_id: Id,
    name: v.string(),
    slug: v.string(),
    member_count: v.pipe(v.number(), v.integer(), v.minValue(0)),
    avatar_url: v.nullable(v.string()),
    tier_badge: v.nullable(v.string()),
    is_member: v.boolean(),
  }),
  {
    id: ["Unique identifier of the community in discovery.", "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f"],
    community_id: ["Identifier of the community in all other routes.", 1],
    ...communityDocs,
    tier_badge: ["Badge of the caller's tier. `null` if the caller is not a member.", "Reserva"],
    is_member: ["Whether the caller is a member.", true],
  },
);

export const ListingPage = documented(
  v.object({ total: Total, has_more: v.boolean(), page: v.number(), per: v.number(), data: v.array(Listing) }),
  pageDocs,
);

export const ListingQuery = documented(
  v.object({
    ...PageQuery.entries,
    query: v.optional(trimmed(0, 100), ""),
    filter: v.optional(oneOf(["all", "trending", "my_communities"]), "all"),
  }),
  {
    ...pageQueryDocs,
    query: ["Any part of the name. Case and accents are ignored.", "mezcal"],
    filter: "Which communities to list. `my_communities` requires a token.",
  },
);
