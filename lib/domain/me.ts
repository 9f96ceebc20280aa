import * as v from "valibot";
import { docsOf, documented } from "../values/documented.ts";
import { MemberStatus } from "../values/member-status.ts";
import { Person } from "../values/person.ts";
import { Id } from "../values/scalars.ts";
import { Community } from "./community.ts";
import { Membership } from "./membership.ts";
import { Tier } from "./tier.ts";

/** The most communities of each kind that are listed. */
export const maxListed = 100;

const { id, uuid, name, slug, status } = docsOf(Community);

const CommunityOfCaller = documented(v.pick(Community, ["id", "uuid", "name", "slug", "status"]), {
  id,
  uuid,
  name,
  slug,
  status,
});

const tierDocs = docsOf(Tier);
const subscriptionDocs = docsOf(Membership);

const MembershipOfCaller = documented(
  v.object({
    member_id: Id,
    community: CommunityOfCaller,
    tier: v.nullable(
      documented(v.pick(Tier, ["id", "name", "badge"]), {
        id: tierDocs.id,
        name: tierDocs.name,
        badge: tierDocs.badge,
      }),
    ),
    ...v.pick(Membership, ["access", "current_period_end", "cancel_at_period_end"]).entries,
    status: MemberStatus,
  }),
  {
    member_id: ["Unique identifier of the member.", 1001],
    community: "The community.",
    tier: "The caller's tier. `null` if it no longer exists.",
    access: subscriptionDocs.access,
    current_period_end: subscriptionDocs.current_period_end,
    cancel_at_period_end: subscriptionDocs.cancel_at_period_end,
    status: ["Status of the caller's subscription.", "active"],
  },
);

/** Who the caller is, and what they own and are a member of. */
export const Me = documented(
  v.object({
    user: v.nullable(Person),
    groups: v.array(v.string()),
    owned_communities: v.array(CommunityOfCaller),
    owned_communities_has_more: v.boolean(),
    memberships: v.array(MembershipOfCaller),
    memberships_has_more: v.boolean(),
  }),
  {
    user: "The caller's profile. `null` until their first sign-in creates it.",
    groups: ["The groups that the token grants: `admin`, `editor`.", ["editor"]],
    owned_communities: "The newest 100 communities that the caller owns, newest first.",
    owned_communities_has_more: "Whether the caller owns more than 100 communities.",
    memberships: "The newest 100 communities that the caller has subscribed to, newest first.",
    memberships_has_more: "Whether the caller has more than 100 memberships.",
  },
);
export type Me = v.InferOutput<typeof Me>;
