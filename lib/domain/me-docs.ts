import { describeFields } from "../values/documented.ts";
import { communityDocs } from "./community-docs.ts";
import { Me } from "./me.ts";
import { membershipDocs } from "./membership-docs.ts";
import { invitationDocs, roleDoc } from "./team-docs.ts";
import { tierDocs } from "./tier-docs.ts";

describeFields(Me.entries.owned_communities.item, communityDocs);

describeFields(Me.entries.memberships.item, {
  member_id: ["Unique identifier of the member.", 1001],
  community: "The community.",
  tier: "The caller's tier. `null` if it no longer exists.",
  access: membershipDocs.access,
  current_period_end: membershipDocs.current_period_end,
  cancel_at_period_end: membershipDocs.cancel_at_period_end,
  status: ["Status of the caller's subscription.", "active"],
});

describeFields(Me.entries.memberships.item.entries.tier.wrapped, tierDocs);

describeFields(Me.entries.teams.item, { community: "The community.", role: roleDoc });

describeFields(Me.entries.invitations.wrapped.item, { ...invitationDocs, community: "The community." });

describeFields(Me, {
  user: "The caller's profile. `null` until their first sign-in creates it.",
  groups: ["The groups that the token grants: `admin`, `editor`.", ["editor"]],
  owned_communities: "The newest 100 communities that the caller owns, newest first.",
  owned_communities_has_more: "Whether the caller owns more than 100 communities.",
  memberships: "The newest 100 communities that the caller has subscribed to, newest first.",
  memberships_has_more: "Whether the caller has more than 100 memberships.",
  teams: "The newest 100 communities in whose team the caller is, newest first.",
  teams_has_more: "Whether the caller is in more than 100 teams.",
  invitations:
    "The open invitations to the caller's verified email address, newest first, at most 100. `null` if the user pool cannot be reached.",
});
