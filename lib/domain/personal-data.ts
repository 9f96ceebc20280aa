import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { ShippingAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { docsOf, documented } from "../values/documented.ts";
import { AnyObject } from "../values/metadata.ts";
import { Person } from "../values/person.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Activity } from "./activity.ts";
import { exportedMemberDocs } from "./member-docs.ts";
import { Intent } from "./operation.ts";
import { Invoice } from "./payment.ts";
import { timeDocs } from "./record.ts";

/** The actor of a change, as shown in a person's export: without an id, and `self` for the person. */
export const DataActor = v.picklist(["self", "owner", "admin", "stripe", "system"]);
export type DataActor = v.InferOutput<typeof DataActor>;

const Profile = documented(
  v.object({
    ...Person.entries,
    created_at: Timestamp,
    updated_at: Timestamp,
    erased_at: v.nullable(Timestamp),
  }),
  {
    ...docsOf(Person),
    ...timeDocs,
    erased_at: "Time at which the person was erased. `null` if they were not.",
  },
);

const { refund_id, charge_id, amount_cents, reason, status, note, issued_at } = RefundEntry.entries;
const { issued_by: _, ...refundDocs } = docsOf(RefundEntry);

const DataRefund = documented(
  v.object({ refund_id, charge_id, amount_cents, reason, status, note, issued_at, issued_by: DataActor }),
  { ...refundDocs, issued_by: "Who issued the refund. `stripe` for a refund made in Stripe." },
);

const [, cancellation] = Intent.options;

const Cancellation = documented(
  v.object({
    at: Timestamp,
    requested_by: DataActor,
    mode: cancellation.entries.mode,
    feedback: v.nullable(v.string()),
    comment: v.nullable(v.string()),
  }),
  {
    at: ["Time of the request.", "2026-11-05T16:20:01.000Z"],
    requested_by: "Who requested it.",
    mode: "Mode of the cancellation: at period end, or immediately.",
    feedback: "Reason given with the request. `null` if there is none.",
    comment: "Comment given with the request. `null` if there is none.",
  },
);

const { id, at, action, before, after } = Activity.entries;
const { actor: __, request_id: ___, ...entryDocs } = docsOf(Activity);

const DataEntry = documented(v.object({ id, at, action, actor: DataActor, before, after }), {
  ...entryDocs,
  actor: ["Who performed the action: `self` for the person, `owner` for the owner of the community.", "owner"],
});

const DataTier = documented(v.object({ id: Id, name: v.string() }), {
  id: ["Unique identifier of the tier.", 11],
  name: ["Name of the tier.", "Reserva"],
});

const DataMembership = documented(
  v.object({
    member_id: Id,
    community: CommunityReference,
    tier: DataTier,
    ...shownEntries(memberFields, "export"),
    shipping_address: v.nullable(ShippingAddress),
    metadata: AnyObject,
    payments: v.array(Invoice),
    refunds: v.array(DataRefund),
    cancellations: v.array(Cancellation),
    activity: v.array(DataEntry),
    activity_has_more: v.boolean(),
  }),
  {
    ...exportedMemberDocs,
    member_id: ["Unique identifier of the member.", 6312],
    tier: "The tier that the member subscribes to.",
    shipping_address: "Address for shipments. `null` if none is stored.",
    metadata: ["Custom metadata about the person.", { shirt_size: "M" }],
    payments: "All invoices with their charges, newest first, without links to Stripe's pages.",
    refunds: "All refunds, newest first.",
    cancellations: "Cancellation requests of the last 35 days, newest first.",
    activity: "The newest 1,000 activity entries of the member, newest first.",
    activity_has_more: "Whether there are older entries.",
  },
);
export type DataMembership = v.InferOutput<typeof DataMembership>;

/** Everything that is stored about one person, in one document. */
export const PersonalData = documented(
  v.object({ profile: v.nullable(Profile), memberships: v.array(DataMembership) }),
  {
    profile: "The person's profile. `null` if there is none yet.",
    memberships: "The person's current and former memberships.",
  },
);
export type PersonalData = v.InferOutput<typeof PersonalData>;
