import * as v from "valibot";
import { CommunityReference } from "../values/community-reference.ts";
import { docsOf, documented } from "../values/documented.ts";
import { Id, oneOf, rule, Timestamp, text } from "../values/scalars.ts";
import { Name } from "../values/shown.ts";
import { Cursor, cursorPageDocs, cursorQueryDocs, Per } from "./page.ts";
import { isPublicUrl } from "./public-url.ts";
import { timeDocs } from "./record.ts";
import { Slug } from "./slug.ts";

/** What the documents say of a community, wherever it is shown. */
export const communityDocs = {
  name: docsOf(CommunityReference).name,
  slug: ["Unique name for use in URLs.", "mezcal-circle"],
  avatar_url: [
    "HTTPS URL of the community's picture. `null` if there is none.",
    "https://images.example.com/mezcal.jpg",
  ],
  member_count: ["Number of members who have access, at most a minute old.", 1200],
} as const;
const writableDocs = {
  name: communityDocs.name,
  slug: ["Unique name for use in URLs. Made from the name if not given.", "mezcal-circle"],
  owner_id: ["Identifier of the user who owns the community. Only admins may change it.", 3],
  avatar_url: communityDocs.avatar_url,
  status: "An archived community is not listed and takes no new members. Only admins may change it.",
  trending_pin:
    "Forces the trending mark `on` or `off`. If `null`, the trend score decides. Only admins may change it.",
} as const;

export const Community = documented(
  v.object({
    id: Id,
    uuid: v.pipe(v.string(), v.uuid()),
    name: v.string(),
    slug: v.string(),
    owner_id: v.nullable(Id),
    avatar_url: v.nullable(v.string()),
    status: oneOf(["active", "archived"]),
    trending: v.boolean(),
    trending_pin: v.nullable(oneOf(["on", "off"])),
    member_count: v.number(),
    created_at: Timestamp,
    updated_at: Timestamp,
  }),
  {
    id: ["Unique identifier of the community.", 1],
    uuid: ["Identifier of the community in discovery.", "0197a5b2-7d21-4e0f-8c3b-5a6b7c8d9e0f"],
    ...writableDocs,
    owner_id: ["Identifier of the user who owns the community. `null` without a token.", 3],
    trending_pin: "The trending mark that an admin has forced. `null` without a token, or if the trend score decides.",
    trending: ["Whether the community is marked as trending.", true],
    member_count: communityDocs.member_count,
    ...timeDocs,
  },
);
export type Community = v.InferOutput<typeof Community>;

/** What the public sees of a community. */
export const forPublic = (community: Community): Community => ({ ...community, owner_id: null, trending_pin: null });

const owner_id = Id;
const { status, trending_pin } = Community.entries;

const AvatarUrl = v.nullable(
  v.pipe(
    text(1, 2000),
    v.url("must be a URL"),
    v.regex(/^https:\/\/(?:[\w.~:/?#@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/, "must be an https URL"),
    rule("invalid_format", isPublicUrl, "must have no credentials and no private address"),
  ),
);

/** A slug says which community: anybody may ask. The list of all is walked by cursor. */
export const CommunityListQuery = v.pipe(
  documented(
    v.object({
      slug: v.optional(v.pipe(v.string(), v.maxLength(100))),
      status: v.optional(status),
      per: Per,
      cursor: Cursor,
    }),
    {
      slug: ["Only the community with this slug. Required unless the caller is an admin.", "mezcal-circle"],
      status: "Only communities with this status. By default all, including archived ones.",
      ...cursorQueryDocs,
    },
  ),
  v.forward(
    rule("conflicts", ({ slug, cursor }) => slug === undefined || cursor === undefined, "cannot be given with slug"),
    ["cursor"],
  ),
);
export type CommunityListQuery = v.InferOutput<typeof CommunityListQuery>;

export const CommunityPage = documented(
  v.object({ has_more: v.boolean(), next_cursor: v.nullable(v.string()), data: v.array(Community) }),
  cursorPageDocs,
);

export const CommunityCreate = documented(
  v.strictObject({
    community: documented(
      v.strictObject({
        name: Name,
        slug: v.optional(Slug),
        owner_id,
        avatar_url: v.optional(AvatarUrl, null),
        trending_pin: v.optional(trending_pin, null),
      }),
      writableDocs,
    ),
  }),
  { community: "The new community." },
);
export type CommunityCreate = v.InferOutput<typeof CommunityCreate>;

/** The owner may change the name, the slug and the avatar, an admin everything. */
export const CommunityUpdate = documented(
  v.strictObject({
    community: documented(
      v.strictObject({
        name: v.optional(Name),
        slug: v.optional(Slug),
        avatar_url: v.optional(AvatarUrl),
        owner_id: v.optional(owner_id),
        status: v.optional(status),
        trending_pin: v.optional(trending_pin),
      }),
      writableDocs,
    ),
  }),
  { community: "The fields to change. Omitted fields are left unchanged." },
);
export type CommunityUpdate = v.InferOutput<typeof CommunityUpdate>;
