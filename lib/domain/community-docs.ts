import type { communityFields } from "../fields/community.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import { communityReferenceDocs } from "../values/community-reference-docs.ts";
import { describeFields, type FieldDoc } from "../values/documented.ts";
import { Community, CommunityCreate, CommunityListQuery, CommunityPage, CommunityUpdate } from "./community.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";
import { sequenceDocs, timeDocs } from "./record-docs.ts";

/** What the documents say of the fields of a community. */
export const communityDocs = {
  id: ["Unique identifier of the community.", 1],
  uuid: ["Identifier of the community in discovery.", "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f"],
  name: communityReferenceDocs.name,
  slug: ["Unique name for use in URLs. Made from the name if not given.", "mezcal-circle"],
  owner_id: ["Identifier of the user who owns the community. `null` without a token.", 3],
  avatar_url: [
    "HTTPS URL of the community's picture. `null` if there is none.",
    "https://images.example.com/mezcal.jpg",
  ],
  status: "An archived community is not listed and takes no new members. Only admins may change it.",
  trending: ["Whether the community is marked as trending.", true],
  trending_pin: "The trending mark that an admin has forced. `null` without a token, or if the trend score decides.",
  member_count: ["Number of members who have access, at most a minute old.", 1200],
  sequence: sequenceDocs("community"),
  ...timeDocs,
} as const satisfies Record<ShownIn<typeof communityFields, "api">, FieldDoc>;

/** The same for request bodies. */
export const communityBodyDocs = {
  ...communityDocs,
  owner_id: ["Identifier of the user who owns the community. Only admins may change it.", 3],
  trending_pin:
    "Forces the trending mark `on` or `off`. If `null`, the trend score decides. Only admins may change it.",
} as const satisfies Record<SetBy<typeof communityFields, "post" | "patch" | "admin">, FieldDoc>;

/** The same for events, which are sent to the owner. */
export const eventCommunityDocs = {
  ...communityDocs,
  owner_id: ["Identifier of the user who owns the community, and may always enter it.", 3],
  trending_pin: "The trending mark that an admin has forced. `null` if the trend score decides.",
} as const satisfies Record<ShownIn<typeof communityFields, "event">, FieldDoc>;

describeFields(Community, communityDocs);

describeFields(CommunityListQuery, {
  slug: ["Only the community with this slug. Required unless the caller is an admin.", "mezcal-circle"],
  status: "Only communities with this status. By default all, including archived ones.",
  ...cursorQueryDocs,
});

describeFields(CommunityPage, cursorPageDocs);
describeFields(CommunityCreate, { community: "The new community." });
describeFields(CommunityCreate.entries.community, communityBodyDocs);
describeFields(CommunityUpdate, { community: "The fields to change. Omitted fields are left unchanged." });
describeFields(CommunityUpdate.entries.community, communityBodyDocs);
