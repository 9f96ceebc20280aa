import * as v from "valibot";
import { Benefit } from "../domain/benefit.ts";
import { Brand } from "../domain/brand.ts";
import { docsOf, documented } from "../domain/documented.ts";
import { Member } from "../domain/member.ts";
import { RefundEntry } from "../domain/refund-entry.ts";
import { Id } from "../domain/scalars.ts";

/** A domain event as data: a summary, and the schema of its record. */
type EventContract = { readonly summary: string; readonly data: v.GenericSchema<Record<string, unknown>> };

// The schemas are exported for the documents, which name them after their variables.

const community_id = ["Identifier of the community.", 1] as const;
const user_id = ["Identifier of the user.", 5] as const;

export const MemberEventData = documented(
  v.object({
    ...v.pick(Member, [
      "id",
      "status",
      "current_period_end",
      "cancel_at_period_end",
      "cancel_at",
      "canceled_at",
      "ended_at",
      "is_blocked",
      "total_refunded_cents",
    ]).entries,
    community_id: Id,
    user_id: Id,
    tier_id: Id,
  }),
  { ...docsOf(Member), community_id, user_id, tier_id: ["Identifier of the member's tier.", 11] },
);

/** @public */
export const RefundEventData = documented(
  v.object({
    ...v.pick(RefundEntry, ["refund_id", "charge_id", "amount_cents", "reason", "status"]).entries,
    member_id: Id,
    community_id: Id,
    user_id: Id,
  }),
  { ...docsOf(RefundEntry), member_id: ["Identifier of the member.", 6312], community_id, user_id },
);

export const BenefitEventData = documented(
  v.object({
    ...v.pick(Benefit, ["id", "name", "description", "position", "status", "tier_ids"]).entries,
    community_id: Id,
  }),
  { ...docsOf(Benefit), community_id },
);

export const BrandEventData = documented(
  v.object({ ...v.pick(Brand, ["id", "name", "producer_ids"]).entries }),
  docsOf(Brand),
);

/**
 * Every event that other systems are told of. None holds anything personal but ids. A type is added here, with the
 * record that it tells of; what it follows from is added in `lib/events/changes.ts`, which does not compile for others.
 */
export const events = {
  "member.joined": { summary: "A subscription begins.", data: MemberEventData },
  "member.canceled": { summary: "A subscription ends. Not sent if it never began.", data: MemberEventData },
  "member.cancel_scheduled": {
    summary: "The end of a subscription is scheduled, or its date changes.",
    data: MemberEventData,
  },
  "member.uncanceled": { summary: "The scheduled end of a subscription is withdrawn.", data: MemberEventData },
  "member.blocked": { summary: "The member is blocked.", data: MemberEventData },
  "member.unblocked": { summary: "The member is no longer blocked.", data: MemberEventData },
  "member.erased": { summary: "The person is erased. The record remains without a name.", data: MemberEventData },
  "refund.created": { summary: "A refund is created, through Odis or at Stripe.", data: RefundEventData },
  "refund.failed": { summary: "A refund fails or is canceled, and no longer counts.", data: RefundEventData },
  "benefit.created": { summary: "A benefit is created.", data: BenefitEventData },
  "benefit.updated": { summary: "A benefit is edited.", data: BenefitEventData },
  "benefit.archived": { summary: "A benefit is archived.", data: BenefitEventData },
  "benefit.activated": { summary: "An archived benefit is activated.", data: BenefitEventData },
  "benefit.deleted": { summary: "A benefit is deleted.", data: BenefitEventData },
  "brand.created": { summary: "A brand is created.", data: BrandEventData },
  "brand.updated": { summary: "A brand is renamed or linked to other producers.", data: BrandEventData },
  "brand.deleted": { summary: "A brand is deleted.", data: BrandEventData },
} as const satisfies Record<string, EventContract>;

export type EventType = keyof typeof events;

/** The record of an event of this type. */
export type EventData<T extends EventType> = v.InferOutput<(typeof events)[T]["data"]>;

/** A domain event: the record after the change, and the former values of the fields that changed. */
export type Change<T extends EventType = EventType> = {
  readonly [Type in T]: {
    readonly type: Type;
    readonly data: EventData<Type>;
    readonly previous: Partial<EventData<Type>>;
  };
}[T];

/** An event as it is sent to subscribers. */
export type DomainEvent<T extends EventType = EventType> = Change<T> & {
  /** The same in every delivery of the event, so that subscribers can ignore duplicates. */
  readonly id: string;
  readonly at: string;
  /** Grows with each event of one member, benefit or brand. */
  readonly sequence: number;
};
