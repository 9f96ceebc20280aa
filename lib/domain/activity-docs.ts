import { describeFields, type FieldDoc } from "../values/documented.ts";
import {
  Activity,
  ActivityPage,
  ActivityQuery,
  BrandActivity,
  BrandActivityPage,
  CommunityActivity,
  CommunityActivityPage,
  CommunityActivityQuery,
} from "./activity.ts";
import { cursorPageDocs, cursorQueryDocs } from "./page-docs.ts";

const entryDocs = {
  id: ["Unique identifier of the entry.", 7301],
  at: ["Time of the action.", "2026-11-05T16:20:01.000Z"],
  actor: "Who performed the action.",
  request_id: [
    "The `x-request-id` of the request that made the change. `null` if no request made it.",
    "FiX2xhRSFiAEMgw=",
  ],
} as const;

/** What the documents say of an activity entry of a member. */
export const activityDocs = {
  ...entryDocs,
  action: ["Type of the action.", "refunded"],
  before: "State before the change. `null` if nothing was there before.",
  after: ["State after the change.", { amount_cents: 500, charge_id: "ch_3TUQmN2eZvKYlo2C0z9y8x7w" }],
} as const satisfies Record<keyof typeof Activity.entries, FieldDoc>;

describeFields(Activity, activityDocs);

describeFields(Activity.entries.actor, {
  type: "Type of actor: `user`; `api_key`; `stripe` for changes in Stripe, including those at the end of a period; `system` for Odis itself.",
  id: ["Identifier of the user or API key. `null` for other actors.", 3],
  name: [
    "Current name of the user: first and last name, or the username of a person who has neither. The name of an API key that is not revoked and has not expired. `null` for other actors and erased people.",
    "Ana Ruiz",
  ],
});

describeFields(CommunityActivity, {
  ...entryDocs,
  action:
    "Type of the action. A request with several changes has one entry. `transferred` (to another owner) takes precedence over `archived` and `unarchived`, which take precedence over `edited`.",
  record: "The record that was changed: the community itself, a member, or one of its other records.",
  before: [
    "Former values of the fields that changed. `null` if the record was created.",
    { monthly_price_dollars: 25 },
  ],
  after: [
    "New values of the fields that changed. `null` if the record was deleted. For an import, the number of `records` in the request.",
    { monthly_price_dollars: 30 },
  ],
});

describeFields(CommunityActivity.entries.record, {
  type: ["Type of the record.", "tier"],
  id: ["Identifier of the record.", 11],
  name: [
    "Current name of the community, tier, benefit, API key or member, or of the person in the team. `null` for event destinations, invitations, records that were deleted, keys that were revoked or have expired, and erased people.",
    "Reserva",
  ],
});

describeFields(BrandActivity, {
  ...entryDocs,
  action: "Type of the action.",
  before: ["Former values of the fields that changed. `null` if the brand was created.", { name: "Casa Ruiz" }],
  after: ["New values of the fields that changed. `null` if the brand was deleted.", { name: "Casa Ruiz e Hijos" }],
});

describeFields(ActivityQuery, cursorQueryDocs);
describeFields(CommunityActivityQuery, {
  ...cursorQueryDocs,
  actor_id: [
    "Only entries of this user or API key. A page may have fewer entries, or none, although `has_more` is true.",
    "3",
  ],
  type: [
    "Only entries about records of this type. A page may have fewer entries, or none, although `has_more` is true.",
    "member",
  ],
  from: ["First day, in UTC.", "2026-11-01"],
  to: ["Last day, in UTC.", "2026-11-30"],
});
describeFields(ActivityPage, cursorPageDocs);
describeFields(CommunityActivityPage, cursorPageDocs);
describeFields(BrandActivityPage, cursorPageDocs);
