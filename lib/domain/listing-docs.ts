import { describeFields } from "../values/documented.ts";
import { communityDocs } from "./community-docs.ts";
import { Listing, ListingPage, ListingQuery } from "./listing.ts";
import { pageDocs, pageQueryDocs } from "./page-docs.ts";

describeFields(Listing, {
  ...communityDocs,
  id: ["Unique identifier of the community in discovery.", "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f"],
  community_id: ["Identifier of the community in all other routes.", 1],
  slug: ["Unique name for use in URLs.", "mezcal-circle"],
  tier_badge: ["Badge of the caller's tier. `null` if the caller is not a member.", "Reserva"],
  is_member: ["Whether the caller is a member.", true],
});

describeFields(ListingPage, pageDocs);

describeFields(ListingQuery, {
  ...pageQueryDocs,
  query: ["Any part of the name. Case and accents are ignored.", "mezcal"],
  filter: "Which communities to list. `my_communities` requires a token.",
});
