import type { communityFields } from "../fields/community.ts";
import type { SetBy, ShownIn } from "../fields/field.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { docsOf, type FieldDoc } from "../values/documented.ts";
import { timeDocs } from "./record.ts";

/** What the documents say of the fields of a community. */
export const communityDocs = {
  id: ["Unique identifier of the community.", 1],
  uuid: ["Identifier of the community in discovery.", "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f"],
  name: docsOf(CommunityReference).name,
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
