import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { Id, integer, Timestamp } from "../values/scalars.ts";
import {
  BenefitEventData,
  BrandEventData,
  CommunityEventData,
  DestinationEventData,
  DisputeEventData,
  MemberEventData,
  PaymentEventData,
  RefundEventData,
  TierEventData,
} from "./event-data.ts";

/** An event as data: a summary, the record that it is about, and the schema of its data. */
type EventContract = {
  readonly summary: string;
  /** The name in `data` of the record that the event is about, whose former values `previous` has. */
  readonly record: string;
  readonly data: v.GenericSchema<Record<string, unknown>>;
};

const member = { record: "member", data: MemberEventData } as const;
const payment = { record: "payment", data: PaymentEventData } as const;
const refund = { record: "refund", data: RefundEventData } as const;
const dispute = { record: "dispute", data: DisputeEventData } as const;
const community = { record: "community", data: CommunityEventData } as const;
const tier = { record: "tier", data: TierEventData } as const;
const benefit = { record: "benefit", data: BenefitEventData } as const;
const destination = { record: "event_destination", data: DestinationEventData } as const;
const brand = { record: "brand", data: BrandEventData } as const;

/**
 * Every event that other systems are sent (`docs/api.md`, section 10). To add a type, add it here, and its rule in
 * `lib/events`, which does not compile without.
 */
export const events = {
  "access.granted": {
    summary: "The member gets access, or the reason or the scheduled end of their access changes.",
    ...member,
  },
  "access.revoked": { summary: "The member loses access.", ...member },
  "member.joined": {
    summary: "A subscription begins to give access, for the first time or after it had ended.",
    ...member,
  },
  "member.imported": { summary: "An import created or replaced the member.", ...member },
  "member.renewed": { summary: "A new billing period begins while the subscription gives access.", ...member },
  "member.trial_ending": {
    summary: "The trial ends in three days, or a shorter trial begins. Sent once per trial.",
    ...member,
  },
  "member.past_due": { summary: "A payment failed and is being retried. The member keeps access.", ...member },
  "member.unpaid": {
    summary: "A payment failed and is no longer retried. Not sent for a pause that was requested in Stripe.",
    ...member,
  },
  "member.recovered": {
    summary:
      "The status returns from `past_due` or `unpaid` to `active`. Not sent after a pause that was requested in Stripe.",
    ...member,
  },
  "member.canceled": { summary: "The subscription ends.", ...member },
  "member.tier_changed": { summary: "The member moves to another tier.", ...member },
  "member.cancel_scheduled": { summary: "The end of the subscription is scheduled, or its date changes.", ...member },
  "member.uncanceled": { summary: "The scheduled end of the subscription is withdrawn.", ...member },
  "member.blocked": { summary: "The member is blocked.", ...member },
  "member.unblocked": { summary: "The member is no longer blocked.", ...member },
  "member.erased": {
    summary: "The person is erased, after their access was revoked. The record remains without a name.",
    ...member,
  },
  "member.updated": {
    summary: "The shipping address changes, or another field of `data.member` for which no other event is sent.",
    ...member,
  },
  "payment.succeeded": { summary: "An invoice is paid. Not sent for invoices of 0.", ...payment },
  "payment.failed": { summary: "An attempt to pay an invoice fails.", ...payment },
  "refund.created": { summary: "A refund is created, through Odis or in Stripe.", ...refund },
  "refund.failed": { summary: "A refund fails or is canceled, and no longer counts.", ...refund },
  "dispute.opened": { summary: "The customer disputes a charge.", ...dispute },
  "dispute.closed": {
    summary:
      "A dispute ends, or an appeal changes how it ended. `status` is `won`, `lost`, `warning_closed` or `prevented`.",
    ...dispute,
  },
  "community.created": { summary: "A community is created.", ...community },
  "community.updated": { summary: "A community is edited or transferred.", ...community },
  "community.archived": { summary: "A community is archived.", ...community },
  "community.activated": { summary: "An archived community is activated.", ...community },
  "tier.created": { summary: "A tier is created.", ...tier },
  "tier.updated": { summary: "A tier is edited.", ...tier },
  "tier.archived": { summary: "A tier is archived.", ...tier },
  "tier.activated": { summary: "An archived tier is activated.", ...tier },
  "tier.deleted": { summary: "A tier is deleted.", ...tier },
  "benefit.created": { summary: "A benefit is created.", ...benefit },
  "benefit.updated": { summary: "A benefit is edited.", ...benefit },
  "benefit.archived": { summary: "A benefit is archived.", ...benefit },
  "benefit.activated": { summary: "An archived benefit is activated.", ...benefit },
  "benefit.deleted": { summary: "A benefit is deleted.", ...benefit },
  "event_destination.disabled": {
    summary:
      "An event destination is disabled: by a request, because deliveries fail, because the community has a new owner, or because the data was restored from a backup.",
    ...destination,
  },
  "brand.created": { summary: "A brand is created.", ...brand },
  "brand.updated": { summary: "A brand is renamed or linked to other producers.", ...brand },
  "brand.deleted": { summary: "A brand is deleted.", ...brand },
} as const satisfies Record<string, EventContract>;

export type EventType = keyof typeof events;

/** The data of an event of this type. */
export type EventData<T extends EventType> = v.InferOutput<(typeof events)[T]["data"]>;

/** The record that an event of this type is about. */
export type EventRecord<T extends EventType> = EventData<T>[(typeof events)[T]["record"] & keyof EventData<T>];

/** What has changed: the state after the change, and the former values of the changed fields of the record. */
export type Change<T extends EventType = EventType> = {
  readonly [Type in T]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    readonly previous: Partial<EventRecord<Type>>;
  };
}[T];

/** Where records are: the start of the path that is the `subject` of their events. */
const collections = {
  community: "communities",
  tier: "tiers",
  benefit: "benefits",
  event_destination: "event_destinations",
  brand: "brands",
} as const;

/** The `subject` of the events of a record. */
export const subjectOf = (kind: keyof typeof collections, id: number | string): string => `${collections[kind]}/${id}`;

/** The `subject` of the events of a member, their payments, refunds and disputes. */
export const subjectOfMember = ({ community_id, id }: { readonly community_id: number; readonly id: number }): string =>
  `${subjectOf("community", community_id)}/members/${id}`;

/** What every event has, whatever its type. */
export const EventEnvelope = documented(
  v.object({
    id: v.string(),
    timestamp: Timestamp,
    sequence: integer(1),
    subject: v.string(),
    community_id: v.nullable(Id),
  }),
  {
    id: ["Unique identifier of the event, the same in every delivery.", "9c1f3f0e6c3b4f6a8d0f5d5c2a7b1e42-0"],
    timestamp: ["Time of the change.", "2026-11-21T05:16:02.000Z"],
    sequence: ["Number that increases with each event of the same `subject`. There may be gaps.", 70000],
    subject: [
      "Path of the record. Payments, refunds and disputes belong to their member.",
      subjectOfMember({ community_id: 1, id: 6312 }),
    ],
    community_id: ["Identifier of the community. `null` for brands.", 1],
  },
);

/** An event as it is sent. The type decides which data it has. */
export type DomainEvent<T extends EventType = EventType> = Change<T> & Readonly<v.InferOutput<typeof EventEnvelope>>;
