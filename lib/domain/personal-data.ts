import * as v from "valibot";
import { activityFields } from "../fields/activity.ts";
import { disputeFields } from "../fields/dispute.ts";
import { shownEntries } from "../fields/field.ts";
import { invitationFields } from "../fields/invitation.ts";
import { memberFields } from "../fields/member.ts";
import { cancelFields } from "../fields/operation.ts";
import { refundFields } from "../fields/refund.ts";
import { teamMemberFields } from "../fields/team-member.ts";
import { userFields } from "../fields/user.ts";
import { ShippingAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { AnyObject } from "../values/metadata.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Invoice } from "./payment.ts";

/** The actor of a change in a person's export: without an id, and `self` for the person themselves. */
export const DataActor = v.picklist(["self", "owner", "admin", "api_key", "stripe", "system"]);
export type DataActor = v.InferOutput<typeof DataActor>;

const Profile = v.object(shownEntries(userFields, "export"));

const DataRefund = v.object({ ...shownEntries(refundFields, "export"), issued_by: DataActor });

const DataDispute = v.object(shownEntries(disputeFields, "export"));

const Cancellation = v.object({
  at: Timestamp,
  requested_by: DataActor,
  ...shownEntries(cancelFields, "export"),
});

const DataEntry = v.object({ ...shownEntries(activityFields, "export"), actor: DataActor });

const DataTier = v.object({ id: Id, name: v.string() });

const DataMembership = v.object({
  member_id: Id,
  community: CommunityReference,
  tier: DataTier,
  ...shownEntries(memberFields, "export"),
  shipping_address: v.nullable(ShippingAddress),
  metadata: AnyObject,
  payments: v.array(Invoice),
  refunds: v.array(DataRefund),
  disputes: v.array(DataDispute),
  cancellations: v.array(Cancellation),
  activity: v.array(DataEntry),
  activity_has_more: v.boolean(),
});
export type DataMembership = v.InferOutput<typeof DataMembership>;

const DataTeam = v.object({ community: CommunityReference, ...shownEntries(teamMemberFields, "export") });
export type DataTeam = v.InferOutput<typeof DataTeam>;

const DataInvitation = v.object({ community: CommunityReference, ...shownEntries(invitationFields, "export") });
export type DataInvitation = v.InferOutput<typeof DataInvitation>;

/** All stored data about a person. */
export const PersonalData = v.object({
  profile: v.nullable(Profile),
  memberships: v.array(DataMembership),
  teams: v.array(DataTeam),
  invitations: v.array(DataInvitation),
});
export type PersonalData = v.InferOutput<typeof PersonalData>;
