import * as v from "valibot";
import { Id, integer, Timestamp } from "../values/scalars.ts";
import {
  BenefitEventData,
  BrandEventData,
  CommunityEventData,
  DestinationEventData,
  DisputeEventData,
  MemberEventData,
  PaymentEventData,
  PingEventData,
  RefundEventData,
  TierEventData,
} from "./event-data.ts";

/** The contract of an event type: its record, and the schema of its data. */
type EventContract = {
  /** The name of the event's record in `data`. `previous` holds former values of this record. */
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
 * All types of events (`docs/api.md`, section 10). To add a type, add it here, its summary to `event-docs.ts`, and its rule
 * to `lib/events`.
 */
export const events = {
  "access.granted": member,
  "access.revoked": member,
  "member.joined": member,
  "member.imported": member,
  "member.renewed": member,
  "member.trial_ending": member,
  "member.past_due": member,
  "member.unpaid": member,
  "member.recovered": member,
  "member.canceled": member,
  "member.tier_changed": member,
  "member.cancel_scheduled": member,
  "member.uncanceled": member,
  "member.change_scheduled": member,
  "member.change_canceled": member,
  "member.blocked": member,
  "member.unblocked": member,
  "member.erased": member,
  "member.updated": member,
  "payment.succeeded": payment,
  "payment.failed": payment,
  "refund.created": refund,
  "refund.failed": refund,
  "refund.updated": refund,
  "dispute.opened": dispute,
  "dispute.closed": dispute,
  "dispute.updated": dispute,
  "community.created": community,
  "community.updated": community,
  "community.archived": community,
  "community.activated": community,
  "tier.created": tier,
  "tier.updated": tier,
  "tier.archived": tier,
  "tier.activated": tier,
  "tier.deleted": tier,
  "benefit.created": benefit,
  "benefit.updated": benefit,
  "benefit.archived": benefit,
  "benefit.activated": benefit,
  "benefit.deleted": benefit,
  "event_destination.disabled": destination,
  ping: { record: "event_destination", data: PingEventData },
  "brand.created": brand,
  "brand.updated": brand,
  "brand.deleted": brand,
} as const satisfies Record<string, EventContract>;

export type EventType = keyof typeof events;

/** The data of an event of this type. */
export type EventData<T extends EventType> = v.InferOutput<(typeof events)[T]["data"]>;

/** The record that an event of this type is about. */
export type EventRecord<T extends EventType> = EventData<T>[(typeof events)[T]["record"] & keyof EventData<T>];

/**
 * A change: the state after it, and the former values of the record's changed fields. `member.updated` also names the
 * changed fields, because an event contains no addresses.
 */
export type Change<T extends EventType = EventType> = {
  readonly [Type in T]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    readonly previous: Partial<EventRecord<Type>>;
  } & (Type extends "member.updated" ? { readonly changed: readonly string[] } : unknown);
}[T];

/** The first segment of the `subject` of a record's events, which is a path. */
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

/** The attributes of all events. */
export const EventEnvelope = v.object({
  id: v.string(),
  timestamp: Timestamp,
  sequence: integer(1),
  subject: v.string(),
  community_id: v.nullable(Id),
});

/** An event as it is sent. Its type determines its data. */
export type DomainEvent<T extends EventType = EventType> = Change<T> & Readonly<v.InferOutput<typeof EventEnvelope>>;
