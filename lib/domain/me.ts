import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { invitationFields } from "../fields/invitation.ts";
import { MemberStatus } from "../values/member-status.ts";
import { Person } from "../values/person.ts";
import { Id } from "../values/scalars.ts";
import { TeamRole } from "../values/team-role.ts";
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

const InvitationOfCaller = v.object({
  ...shownEntries(invitationFields, "invited"),
  community: CommunityOfCaller,
});

const TeamOfCaller = v.object({ community: CommunityOfCaller, role: TeamRole });

/** The caller, with the communities that they own, are a member of, and have a role in. */
export const Me = v.object({
  user: v.nullable(Person),
  groups: v.array(v.string()),
  owned_communities: v.array(CommunityOfCaller),
  owned_communities_has_more: v.boolean(),
  memberships: v.array(MembershipOfCaller),
  memberships_has_more: v.boolean(),
  teams: v.array(TeamOfCaller),
  teams_has_more: v.boolean(),
  invitations: v.nullable(v.array(InvitationOfCaller)),
});
export type Me = v.InferOutput<typeof Me>;
