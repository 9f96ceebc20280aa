import * as v from "valibot";
import { communityFields } from "../fields/community.ts";
import { type EntriesSetBy, shownEntries } from "../fields/field.ts";
import { Id, rule, text } from "../values/scalars.ts";
import { Name } from "../values/shown.ts";
import { Cursor, Per } from "./page.ts";
import { isPublicUrl } from "./public-url.ts";
import { Slug } from "./slug.ts";

export const Community = v.object(shownEntries(communityFields, "api"));
export type Community = v.InferOutput<typeof Community>;

/** A community without the fields that are hidden from the public. */
export const forPublic = (community: Community): Community => ({ ...community, owner_id: null, trending_pin: null });

const { status, trending_pin } = Community.entries;

const AvatarUrl = v.nullable(
  v.pipe(
    text(1, 2000),
    v.url("must be a URL"),
    v.regex(/^https:\/\/(?:[\w.~:/?#@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/, "must be an https URL"),
    rule("invalid_format", isPublicUrl, "must have no credentials and no private address"),
  ),
);

/** Query of the list of communities. With a slug, anybody may call it; the list of all communities has a cursor. */
export const CommunityListQuery = v.pipe(
  v.object({
    slug: v.optional(text(1, 100)),
    status: v.optional(status),
    per: Per,
    cursor: Cursor,
  }),
  v.forward(
    rule("conflicts", ({ slug, cursor }) => slug === undefined || cursor === undefined, "cannot be given with slug"),
    ["cursor"],
  ),
);
export type CommunityListQuery = v.InferOutput<typeof CommunityListQuery>;

export const CommunityPage = v.object({
  has_more: v.boolean(),
  next_cursor: v.nullable(v.string()),
  data: v.array(Community),
});

export const CommunityCreate = v.strictObject({
  community: v.strictObject({
    name: Name,
    slug: v.optional(Slug),
    owner_id: Id,
    avatar_url: v.optional(AvatarUrl, null),
    trending_pin: v.optional(trending_pin, null),
  } satisfies EntriesSetBy<typeof communityFields, "post">),
});
export type CommunityCreate = v.InferOutput<typeof CommunityCreate>;

/** Owners may change the name, the slug and the avatar; admins may change everything. */
export const CommunityUpdate = v.strictObject({
  community: v.strictObject({
    name: v.optional(Name),
    slug: v.optional(Slug),
    avatar_url: v.optional(AvatarUrl),
    owner_id: v.optional(Id),
    status: v.optional(status),
    trending_pin: v.optional(trending_pin),
  } satisfies EntriesSetBy<typeof communityFields, "patch" | "admin">),
});
export type CommunityUpdate = v.InferOutput<typeof CommunityUpdate>;
