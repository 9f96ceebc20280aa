import { Nothing } from "../domain/cancellation.ts";
import {
  Invitation,
  InvitationCreate,
  InvitationListQuery,
  InvitationPage,
  TeamMember,
  TeamMemberUpdate,
  TeamPage,
  TeamQuery,
} from "../domain/team.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/team",
  access: "owner",
  query: TeamQuery,
  output: TeamPage,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/communities/{community_id}/team/{user_id}",
  access: "owner",
  body: TeamMemberUpdate,
  output: TeamMember,
  etag: true,
  table: "write",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/communities/{community_id}/team/{user_id}",
  access: "owner",
  orSelf: true,
  status: 204,
  record: TeamMember,
  table: "write",
} as const satisfies Route;

export const listInvitations = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/invitations",
  access: "owner",
  query: InvitationListQuery,
  output: InvitationPage,
  table: "read",
} as const satisfies Route;

export const invite = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/invitations",
  access: "owner",
  body: InvitationCreate,
  status: 201,
  output: Invitation,
  location: "/odis/v1/invitations/{id}",
  etag: true,
  problems: ["already_in_team", "limit_reached"],
  table: "write",
} as const satisfies Route;

export const removeInvitation = {
  method: "DELETE",
  path: "/odis/v1/invitations/{id}",
  access: "user",
  status: 204,
  record: Invitation,
  table: "write",
  readsAddress: true,
} as const satisfies Route;

export const accept = {
  method: "POST",
  path: "/odis/v1/invitations/{id}/accept",
  access: "user",
  body: Nothing,
  record: Invitation,
  output: TeamMember,
  etag: true,
  problems: ["already_in_team", "limit_reached"],
  table: "write",
  readsAddress: true,
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: "List the people in the team of a community",
  update: "Change the role of a person in the team",
  remove: ["Remove a person from the team", "People can also remove themselves."],
  listInvitations: "List the open invitations to the team of a community",
  invite: [
    "Invite an email address to the team of a community",
    "Odis sends no email: tell the person to sign in with this address and accept. An invitation expires after 14 days. A second invitation of an address replaces the first. A community has at most 50 open invitations.",
  ],
  removeInvitation: [
    "Revoke an invitation, or decline it",
    "The owner and admins revoke it. The person with the invited address declines it. To anybody else it does not exist.",
  ],
  accept: [
    "Accept an invitation and join the team",
    "For the person whose verified email address was invited. A team has at most 50 people.",
  ],
} as const;
