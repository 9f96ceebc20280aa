import * as v from "valibot";
import { Access } from "../values/access.ts";
import { ShippingAddress, StoredAddress } from "../values/address.ts";
import { CommunityReference } from "../values/community-reference.ts";
import { MemberStatus } from "../values/member-status.ts";
import type { JsonObject, readOnlyKeys } from "../values/metadata.ts";
import { erasedPerson, Person } from "../values/person.ts";
import { Cents, Id, integer, oneOf, Timestamp } from "../values/scalars.ts";
import { FactChange } from "./fact-change.ts";
import { defineFields, erasedRecord } from "./field.ts";
import type oldest from "./oldest/member.json";
import { RefundEntry, refundFields } from "./refund.ts";

/** The keys of `metadata` that the API defines. The same object also holds custom keys. */
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

const Interval = v.nullable(oneOf(["month", "year"]));
/** A change of tier, interval or both, with the name of the tier as of the last synchronization. */
const ScheduledChange = v.object({
  tier: v.object({ id: Id, name: v.string() }),
  interval: Interval,
  price_cents: Cents,
  at: Timestamp,
});
export type ScheduledChange = v.InferOutput<typeof ScheduledChange>;

const Custom = v.custom<JsonObject>((value) => typeof value === "object" && value !== null);
const CentsByDay = v.record(v.string(), v.number());
const Imported = v.object({
  fingerprint: v.string(),
  version: v.number(),
  at: v.optional(Timestamp),
  address_hashes: v.optional(v.array(v.string())),
});

const withoutNotes = (refunds: RefundEntry[]) => refunds.map((refund) => erasedRecord(refundFields, refund));
const withoutHashes = ({ version, at }: v.InferOutput<typeof Imported>) => ({
  fingerprint: "",
  version,
  ...(at !== undefined && { at }),
});

type Terms = {
  readonly oldest: keyof typeof oldest;
  /** `sync` copies the data of Stripe. `patch` and `block` are requests of owners. `server` is any other write. */
  readonly set: "patch" | "block" | "sync" | "import" | "server";
  /** `metadata` is the object `metadata` of the API's record. `export` is the person's export of their own data. */
  readonly shown: "api" | "csv" | "event" | "metadata" | "export";
};

const synced = ["sync", "import"] as const;
const blocked = ["block", "import"] as const;
const created = ["import", "server"] as const;
const everywhere = ["api", "csv", "event", "export"] as const;
const notInEvents = ["api", "csv", "export"] as const;

/** The fields that say what the next renewals charge. A person's own membership shows them too. */
export const renewalFields = defineFields<Terms>()({
  interval: { stored: Interval, before: null, set: ["sync"], shown: everywhere, personal: false },
  price_cents: { stored: v.nullable(Cents), before: null, set: ["sync"], shown: everywhere, personal: false },
  scheduled_change: {
    stored: v.nullable(ScheduledChange),
    before: null,
    set: ["sync"],
    shown: ["api", "event", "export"],
    personal: false,
  },
});

/**
 * Stripe is the source of the status, the periods and the sums. People edit the block, the notes and the custom
 * metadata.
 */
export const memberFields = defineFields<Terms>()({
  id: { stored: Id, set: created, shown: ["api", "csv", "event"], personal: false },
  status: { stored: MemberStatus, set: synced, shown: everywhere, personal: false },
  access: { made: Access, shown: ["api", "csv"] },
  joined_at: { made: v.nullable(Timestamp), shown: ["api", "csv"] },
  current_period_start: { stored: Timestamp, set: synced, shown: notInEvents, personal: false },
  current_period_end: { stored: Timestamp, set: synced, shown: everywhere, personal: false },
  cancel_at_period_end: { stored: v.boolean(), set: synced, shown: everywhere, personal: false },
  cancel_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  ...renewalFields,
  trial_start: { stored: v.nullable(Timestamp), set: synced, shown: notInEvents, personal: false },
  trial_end: { stored: v.nullable(Timestamp), set: synced, shown: notInEvents, personal: false },
  canceled_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  ended_at: { stored: v.nullable(Timestamp), set: synced, shown: everywhere, personal: false },
  shipping_address: {
    stored: v.nullable(StoredAddress),
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
  /** As of the last synchronization. The API shows the current value of the tier. */
  requires_shipping_address: {
    stored: v.boolean(),
    before: false,
    set: ["sync"],
    shown: ["api", "csv", "event"],
    personal: false,
  },
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
  /** Sums in US cents, by day, of the refunds that `refunds` no longer lists: all but the newest hundred. */
  older_refunds_cents: { stored: CentsByDay, before: {}, set: ["sync"], shown: [], personal: false },
  /** Monthly amount of the subscription in US cents and twelfths of a cent, as of the last synchronization. */
  monthly_cents: { stored: v.number(), before: 0, set: ["sync"], shown: [], personal: false },
  /** Paid amounts in US cents, by the UTC day of the payment. */
  paid_cents_by_day: { stored: CentsByDay, before: {}, set: ["sync"], shown: [], personal: false },
  /** Amounts of lost disputes in US cents, by the UTC day of the loss. Negative on the day on which a loss is reversed. */
  disputed_cents_by_day: { stored: CentsByDay, before: {}, set: ["sync"], shown: [], personal: false },
  /** When the monthly amount was first more than 0. */
  first_paying_at: { stored: Timestamp, before: undefined, set: ["sync"], shown: [], personal: false },
  /** When the member first got access. `null` for imported members. */
  first_granted_at: { stored: v.nullable(v.string()), set: ["sync"], shown: [], personal: false },
  /** Start of the latest trial whose end was announced by an event. */
  trial_announced: { stored: Timestamp, before: undefined, set: ["sync"], shown: [], personal: false },
  /** Whether the status is `unpaid` because a pause was requested. */
  is_paused: { stored: v.boolean(), before: undefined, set: ["sync"], shown: [], personal: false },
  /** The card that the customer had chosen for all payments at the last synchronization. `null` if none. */
  default_card: { stored: v.nullable(v.string()), before: undefined, set: ["sync"], shown: [], personal: false },
  /** Whether the address is from an import, and Stripe has not had one since. */
  is_address_imported: { stored: v.boolean(), before: undefined, set: ["sync"], shown: [], personal: false },
  /** Time since which the member's movements are recorded. Undefined for older members until `npm run migrate`. */
  recorded_since: { stored: Timestamp, before: undefined, set: ["server"], shown: [], personal: false },
  /** The import that wrote the member: a hash of the import record, the version that it wrote, and its time. */
  imported: {
    stored: Imported,
    before: undefined,
    set: ["server"],
    shown: [],
    personal: { erased: withoutHashes },
  },
  /** The sums from an import. Payments and refunds at Stripe are added to them. */
  opening: {
    stored: v.object({ lifetime_spend_cents: Cents, total_refunded_cents: Cents }),
    before: undefined,
    set: ["server"],
    shown: [],
    personal: false,
  },
  /** The payments, refunds and disputes that changed in the last synchronization. Their events are derived from it. */
  changed_facts: {
    stored: v.object({ at: Timestamp, changes: v.array(FactChange) }),
    before: undefined,
    set: ["server"],
    shown: [],
    personal: false,
  },
  /** When the person was erased. No personal data of the member is written afterwards. */
  erased_at: { stored: Timestamp, before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented by every edit of the address in Odis. Such an edit is written to Stripe first. */
  address_version: { stored: v.number(), before: undefined, set: ["server"], shown: [], personal: false },
  /** Incremented by every synchronization. */
  sync_version: { stored: v.number(), set: ["server"], shown: [], personal: false },
  /** Incremented by every write. Each write requires the version that its decision was based on. */
  version: { stored: v.number(), set: ["server"], shown: [], personal: false },
});
