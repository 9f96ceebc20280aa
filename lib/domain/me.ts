import * as v from "valibot";
import { MemberStatus } from "../values/member-status.ts";
import { Person } from "../values/person.ts";
import { Id } from "../values/scalars.ts";
import { Community } from "./community.ts";
import { Membership } from "./membership.ts";
import { Tier } from "./tier.ts";

/** Maximum number of communities in each list. */
export const maxListed = 100;

const CommunityOfCaller = v.pick(Community, ["id", "uuid", "name", "slug", "status"]);

const MembershipOfCaller = v.object({
  member_id: Id,
  community: CommunityOfCaller,
  tier: v.nullable(v.pick(Tier, ["id", "name", "badge"])),
  ...v.pick(Membership, ["access", "current_period_end", "cancel_at_period_end"]).entries,
  status: MemberStatus,
});

/** The caller, with the communities that they own and are a member of. */
export const Me = v.object({
  user: v.nullable(Person),
  groups: v.array(v.string()),
  owned_communities: v.array(CommunityOfCaller),
  owned_communities_has_more: v.boolean(),
  memberships: v.array(MembershipOfCaller),
  memberships_has_more: v.boolean(),
});
export type Me = v.InferOutput<typeof Me>;
