import { describeFields } from "../values/documented.ts";
import { activityDocs } from "./activity-docs.ts";
import { exportedMemberDocs } from "./member-docs.ts";
import { PersonalData } from "./personal-data.ts";
import { refundDocs } from "./refund-docs.ts";
import { invitationDocs, teamMemberDocs } from "./team-docs.ts";
import { exportedUserDocs } from "./user-docs.ts";

describeFields(PersonalData.entries.profile.wrapped, exportedUserDocs);

describeFields(PersonalData.entries.memberships.item.entries.refunds.item, {
  ...refundDocs,
  issued_by: "Who issued the refund. `stripe` for a refund made in Stripe.",
});

describeFields(PersonalData.entries.memberships.item.entries.disputes.item, {
  dispute_id: ["Identifier of the dispute in Stripe.", "du_1TUQmN2eZvKYlo2C4r5t6y7u"],
  charge_id: ["Identifier of the disputed charge in Stripe.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
  amount_cents: ["Disputed amount in US cents.", 2500],
  status: ["Status of the dispute in Stripe.", "needs_response"],
  created_at: ["When the dispute was opened.", "2026-11-05T16:20:01.000Z"],
});

describeFields(PersonalData.entries.memberships.item.entries.cancellations.item, {
  at: ["Time of the request.", "2026-11-05T16:20:01.000Z"],
  requested_by: "Who requested it.",
  mode: "Mode of the cancellation: at period end, or immediately.",
  feedback: "Reason given with the request. `null` if there is none.",
  comment: "Comment given with the request. `null` if there is none.",
});

describeFields(PersonalData.entries.memberships.item.entries.activity.item, {
  ...activityDocs,
  actor: ["Who performed the action: `self` for the person, `owner` for the owner of the community.", "owner"],
});

describeFields(PersonalData.entries.memberships.item.entries.tier, {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
});

describeFields(PersonalData.entries.memberships.item, {
  ...exportedMemberDocs,
  member_id: ["Unique identifier of the member.", 6312],
  tier: "The tier that the member subscribes to.",
  shipping_address: "Address for shipments. `null` if none is stored.",
  metadata: ["Custom metadata about the person.", { shirt_size: "M" }],
  payments: "All invoices with their charges, newest first, without links to Stripe's pages.",
  refunds: "All refunds, newest first.",
  disputes: "All disputes of payments, newest first.",
  cancellations: "Cancellation requests of the last 35 days, newest first.",
  activity: "The newest 1,000 activity entries of the member, newest first.",
  activity_has_more: "Whether there are older entries.",
});

describeFields(PersonalData.entries.teams.item, { ...teamMemberDocs, community: "The community." });

describeFields(PersonalData.entries.invitations.item, { ...invitationDocs, community: "The community." });

describeFields(PersonalData, {
  profile: "The person's profile. `null` if there is none yet.",
  memberships: "The person's current and former memberships.",
  teams: "The communities in whose team the person is.",
  invitations:
    "The open invitations to the verified email address of the account, or to that of the profile if there is no account.",
});
