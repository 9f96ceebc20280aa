import { activityFields, brandActivityFields, communityActivityFields } from "./activity.ts";
import { apiKeyFields } from "./api-key.ts";
import { benefitFields } from "./benefit.ts";
import { brandFields } from "./brand.ts";
import { communityFields } from "./community.ts";
import { deliveryFields } from "./delivery.ts";
import { destinationFields } from "./destination.ts";
import { disputeFields } from "./dispute.ts";
import { invitationFields } from "./invitation.ts";
import { memberFields } from "./member.ts";
import { movementFields } from "./movement.ts";
import { operationFields } from "./operation.ts";
import { paymentFields } from "./payment.ts";
import { refundFields } from "./refund.ts";
import { teamMemberFields } from "./team-member.ts";
import { tierFields } from "./tier.ts";
import { transactionFields } from "./transaction.ts";
import { userFields } from "./user.ts";

/** All field tables, by kind of item. Functions do not import this file, only the tables that they need. */
export const tables = {
  activity: activityFields,
  apiKey: apiKeyFields,
  benefit: benefitFields,
  brand: brandFields,
  brandActivity: brandActivityFields,
  community: communityFields,
  communityActivity: communityActivityFields,
  delivery: deliveryFields,
  destination: destinationFields,
  dispute: disputeFields,
  invitation: invitationFields,
  member: memberFields,
  movement: movementFields,
  operation: operationFields,
  payment: paymentFields,
  refund: refundFields,
  teamMember: teamMemberFields,
  tier: tierFields,
  transaction: transactionFields,
  user: userFields,
};
