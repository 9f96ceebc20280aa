import * as v from "valibot";
import { shownEntries } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { userFields } from "../fields/user.ts";
import { ShippingAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { AnyObject } from "../values/metadata.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { Id, Timestamp } from "../values/scalars.ts";
import { Activity } from "./activity.ts";
import { Intent } from "./operation.ts";
import { Invoice } from "./payment.ts";

/** The actor of a change, as shown in a person's export: without an id, and `self` for the person. */
export const DataActor = v.picklist(["self", "owner", "admin", "stripe", "system"]);
export type DataActor = v.InferOutput<typeof DataActor>;

const Profile = v.object(shownEntries(userFields, "export"));

const { refund_id, charge_id, amount_cents, reason, status, note, issued_at } = RefundEntry.entries;
const DataRefund = v.object({
  refund_id,
  charge_id,
  amount_cents,
  reason,
  status,
  note,
  issued_at,
  issued_by: DataActor,
});

const [, cancellation] = Intent.options;

const Cancellation = v.object({
  at: Timestamp,
  requested_by: DataActor,
  mode: cancellation.entries.mode,
  feedback: v.nullable(v.string()),
  comment: v.nullable(v.string()),
});

const { id, at, action, before, after } = Activity.entries;

const DataEntry = v.object({ id, at, action, actor: DataActor, before, after });

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
  cancellations: v.array(Cancellation),
  activity: v.array(DataEntry),
  activity_has_more: v.boolean(),
});
export type DataMembership = v.InferOutput<typeof DataMembership>;

/** All stored data about a person. */
export const PersonalData = v.object({ profile: v.nullable(Profile), memberships: v.array(DataMembership) });
export type PersonalData = v.InferOutput<typeof PersonalData>;
