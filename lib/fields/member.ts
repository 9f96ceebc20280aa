import * as v from "valibot";
import { ShippingAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { MemberStatus } from "../values/member-status.ts";
import type { JsonObject, readOnlyKeys } from "../values/metadata.ts";
import { erasedPerson, Person } from "../values/person.ts";
import { Cents, Id, integer, Timestamp } from "../values/scalars.ts";
import { FactChange } from "./fact-change.ts";
import { defineFields, erasedRecord } from "./field.ts";
import type oldest from "./oldest/member.json";
import { RefundEntry, refundFields } from "./refund.ts";

/** The keys of `metadata` that the API names. Custom keys stand beside them. */
const MemberMetadata = v.looseObject({
  lifetime_spend_cents: Cents,
  blocked: v.boolean(),
  blocked_at: v.nullable(Timestamp),
  blocked_by: v.nullable(Id),
  block_reason: v.nullable(v.string()),
  refunds: v.array(RefundEntry),
  notes: v.string(),
} satisfies Record<(typeof readOnlyKeys)[number] | "notes", v.GenericSchema>);

const MemberTier = v.object({ id: Id, name: v.string(), monthly_price_dollars: v.number() });

const Custom = v.custom<JsonObject>((value) => typeof value === "object" && value !== null);
const CentsByDay = v.record(v.string(), v.number());
const Imported = v.object({ fingerprint: v.string(), version: v.number(), at: v.optional(Timestamp) });

const withoutNotes = (refunds: RefundEntry[]) => refunds.map((refund) => erasedRecord(refundFields, refund));
const withoutFingerprint = (imported: v.InferOutput<typeof Imported>) => ({ ...imported, fingerprint: "" });

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` copies what Stripe holds. `patch` and `block` are for owners. `server` is any other write. */
  readonly set: "patch" | "block" | "sync" | "import" | "server";
  /** `metadata` is that object in the API's record. `export` is a person's own data. */
  readonly shown: "api" | "csv" | "event" | "metadata" | "export";
};

const synced = ["sync", "import"] as const;
const blocked = ["block", "import"] as const;
const created = ["import", "server"] as const;
const everywhere = ["api", "csv", "event", "export"] as const;
const notInEvents = ["api", "csv", "export"] as const;

/** Stripe owns the status, the periods and the sums. People own the block, the notes and the custom metadata. */
export const memberFields = defineFields<Terms>()({
  id: { stored: Id, set: created, shown: ["api", "csv", "event"], personal: false },
  status: { stored: MemberStatus, set: synced, shown: everywhere, personal: false },
  current_period_start: { stored: Timestamp, set: synced, shown: notInEvents, personal: false },
  current_period_end: { stored: Timestamp, set: synced, shown: everywhere, personal: false },
  cancel_at_period_end: { stored: v.boolean(), set: synced, shown: everywhere, personal: false },
  cancel_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  trial_start: { stored: v.nullable(Timestamp), set: synced, shown: notInEvents, personal: false },
  trial_end: { stored: v.nullable(Timestamp), set: synced, shown: notInEvents, personal: false },
  canceled_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  ended_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  shipping_address: {
    stored: v.nullable(ShippingAddress),
    as: ShippingAddress,
    before: null,
    set: ["patch", "sync", "import"],
    shown: ["api", "csv"],
    personal: { erased: null },
  },
  metadata: { made: MemberMetadata, shown: ["api"] },
  is_blocked: { stored: v.boolean(), set: blocked, shown: everywhere, personal: false },
  block_reason: { stored: v.nullable(v.string()), set: blocked, shown: notInEvents, personal: { erased: null } },
  total_refunded: { made: v.number(), shown: ["api", "csv"] },
  total_refunded_cents: { stored: Cents, set: synced, shown: everywhere, personal: false },
  lifetime_spend_cents: { stored: Cents, set: synced, shown: everywhere, personal: false },
  requires_shipping_address: { made: v.boolean(), shown: ["api", "csv"] },
  has_shipping_address: { made: v.boolean(), shown: ["api", "csv"] },
  user: {
    stored: Person,
    set: created,
    shown: ["api", "csv"],
    personal: { erased: ({ id }: Person) => erasedPerson(id) },
  },
  membership_tier: { made: MemberTier, shown: ["api", "csv"] },
  community: { made: CommunityReference, shown: ["api", "csv"] },
  sequence: { made: integer(1), shown: ["api", "csv"] },
  created_at: { stored: Timestamp, set: created, shown: notInEvents, personal: false },
  updated_at: { stored: Timestamp, set: ["server"], shown: notInEvents, personal: false },

  tier_id: { stored: Id, set: synced, shown: ["event"], personal: false },
  notes: {
    stored: v.string(),
    before: "",
    set: ["patch", "import"],
    shown: ["metadata", "export"],
    personal: { erased: "" },
  },
  custom: { stored: Custom, before: {}, set: ["patch", "import"], shown: ["metadata"], personal: { erased: {} } },
  blocked_at: { stored: v.nullable(Timestamp), set: blocked, shown: ["metadata", "export"], personal: false },
  blocked_by: { stored: v.nullable(Id), set: blocked, shown: ["metadata"], personal: false },
  refunds: { stored: v.array(RefundEntry), set: synced, shown: ["metadata"], personal: { reduced: withoutNotes } },
  stripe_customer_id: { stored: v.nullable(v.string()), set: synced, shown: ["export"], personal: false },
  stripe_subscription_id: { stored: v.nullable(v.string()), set: synced, shown: [], personal: false },

  community_id: { stored: Id, set: ["server"], shown: [], personal: false },
  /** Sums of the refunds that are older than the newest hundred, by day. */
  older_refunds_cents: { stored: CentsByDay, before: {}, set: ["sync"], shown: [], personal: false },
  /** Monthly amount of the subscription, as of the last synchronization. */
  monthly_cents: { stored: Cents, before: 0, set: ["sync"], shown: [], personal: false },
  /** Sums of the payments, by the day of the payment. */
  paid_cents_by_day: { stored: CentsByDay, before: {}, set: ["sync"], shown: [], personal: false },
  /** When the monthly amount was first more than 0. */
  first_paying_at: { stored: Timestamp, before: undefined, set: ["sync"], shown: [], personal: false },
  /** When the member first got access. `null` for imported members. */
  first_granted_at: { stored: v.nullable(v.string()), set: ["sync"], shown: [], personal: false },
  /** The start of the trial whose end was announced. */
  trial_announced: { stored: Timestamp, before: undefined, set: ["sync"], shown: [], personal: false },
  /** Whether the status is `unpaid` because a pause was requested. */
  is_paused: { stored: v.boolean(), before: undefined, set: ["sync"], shown: [], personal: false },
  /** Since when the movements of the member are recorded. Members stored before that have none until `npm run migrate`. */
  recorded_since: { stored: Timestamp, before: undefined, set: ["server"], shown: [], personal: false },
  /** The import that wrote the member: a hash of its record, the version of the member that it wrote, and its time. */
  imported: {
    stored: Imported,
    before: undefined,
    set: ["server"],
    shown: [],
    personal: { erased: withoutFingerprint },
  },
  /** The sums that an import gave. What is seen in Stripe is added to them. */
  opening: {
    stored: v.object({ lifetime_spend_cents: Cents, total_refunded_cents: Cents }),
    before: undefined,
    set: ["server"],
    shown: [],
    personal: false,
  },
  /** What the last synchronization has learned about the member's money, for the events of that write. */
  changed_facts: {
    stored: v.object({ at: Timestamp, changes: v.array(FactChange) }),
    before: undefined,
    set: ["server"],
    shown: [],
    personal: false,
  },
  /** When the person was erased. No personal data is written about the member afterwards. */
  erased_at: { stored: Timestamp, before: undefined, set: ["server"], shown: [], personal: false },
  /** Rises with every edit of the address here, which is written to Stripe first. */
  address_version: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Rises with every synchronization. */
  sync_version: { stored: v.number(), set: ["server"], shown: [], personal: false },
  /** Rises with every write. A decision is written only over the version that it was based on. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
