import * as v from "valibot";
import { Id, Name, Timestamp, text } from "./scalars.ts";
import { Slug } from "./slug.ts";

export const Community = v.object({
  id: Id,
  uuid: v.pipe(v.string(), v.uuid()),
  name: v.string(),
  slug: v.string(),
  owner_id: Id,
  avatar_url: v.nullable(v.string()),
  status: v.picklist(["active", "archived"]),
  trending: v.boolean(),
  trending_pin: v.nullable(v.picklist(["on", "off"])),
  member_count: v.number(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type Community = v.InferOutput<typeof Community>;

const { owner_id, status, trending_pin } = Community.entries;

const AvatarUrl = v.nullable(
  v.pipe(
    text(1, 2000),
    v.url("must be a URL"),
    v.regex(/^https:\/\/(?:[\w.~:/?#@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/, "must be an https URL"),
  ),
);

/** A slug is made from the name where none is given. */
export const CommunityCreate = v.strictObject({
  community: v.strictObject({
    name: Name,
    slug: v.optional(Slug),
    owner_id,
    avatar_url: v.optional(AvatarUrl, null),
    trending_pin: v.optional(trending_pin, null),
  }),
});
export type CommunityCreate = v.InferOutput<typeof CommunityCreate>;

/** The owner may change the name, the slug and the avatar, an admin everything. */
export const CommunityUpdate = v.strictObject({
  community: v.strictObject({
    name: v.optional(Name),
    slug: v.optional(Slug),
    avatar_url: v.optional(AvatarUrl),
    owner_id: v.optional(owner_id),
    status: v.optional(status),
    trending_pin: v.optional(trending_pin),
  }),
});
export type CommunityUpdate = v.InferOutput<typeof CommunityUpdate>;
