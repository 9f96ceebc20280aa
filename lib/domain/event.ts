import { isLiveStatus } from "./access.ts";
import type { Benefit } from "./benefit.ts";
import type { Brand } from "./brand.ts";
import type { Member, RefundEntry } from "./member.ts";

/** What happens to members, benefits and brands that other systems may want to know. */
export type EventType =
  | `member.${"joined" | "cancel_scheduled" | "uncanceled" | "canceled" | "blocked" | "unblocked"}`
  | `refund.${"created" | "failed"}`
  | `benefit.${"created" | "updated" | "archived" | "activated" | "deleted"}`
  | `brand.${"created" | "updated" | "deleted"}`;

type Facts = Readonly<Record<string, unknown>>;

/** Something that has happened: the record as it is now, and what of it was different before. Nothing personal but ids. */
export type Happening = { readonly type: EventType; readonly data: Facts; readonly previous: Facts };

/** A happening as it is told to subscribers. */
export type DomainEvent = Happening & {
  /** The same however often the event arrives, so that what has been seen can be dropped. */
  readonly id: string;
  readonly at: string;
  /** Grows with each event of one member, benefit or brand. */
  readonly sequence: number;
};

export type MemberState = Pick<
  Member,
  | "id"
  | "status"
  | "current_period_end"
  | "cancel_at_period_end"
  | "cancel_at"
  | "canceled_at"
  | "ended_at"
  | "is_blocked"
  | "total_refunded_cents"
> & {
  readonly community_id: number;
  readonly tier_id: number;
  readonly user: { readonly id: number };
  /** The newest hundred. */
  readonly refunds: readonly Pick<RefundEntry, "refund_id" | "charge_id" | "amount_cents" | "reason" | "status">[];
};

/** What happened to a member who was `before` and is `after`. Edits of notes, addresses and metadata are nobody's. */
export function memberHappenings(before: MemberState | undefined, after: MemberState): Happening[] {
  const facts = change(before && factsOf(before), factsOf(after));
  const of = (type: EventType): Happening => ({ type, ...facts });
  const was = before !== undefined && isLiveStatus(before.status);
  const is = isLiveStatus(after.status);
  const happenings: Happening[] = [];
  if (is && !was) happenings.push(of("member.joined"));
  if (is && isEnding(after) && !(was && isEnding(before) && before.cancel_at === after.cancel_at))
    happenings.push(of("member.cancel_scheduled"));
  if (was && is && isEnding(before) && !isEnding(after)) happenings.push(of("member.uncanceled"));
  if (was && !is) happenings.push(of("member.canceled"));
  if (after.is_blocked !== (before?.is_blocked ?? false))
    happenings.push(of(after.is_blocked ? "member.blocked" : "member.unblocked"));
  return [...happenings, ...refundHappenings(before, after)];
}

const factsOf = (member: MemberState): Facts => ({
  id: member.id,
  community_id: member.community_id,
  user_id: member.user.id,
  tier_id: member.tier_id,
  status: member.status,
  current_period_end: member.current_period_end,
  cancel_at_period_end: member.cancel_at_period_end,
  cancel_at: member.cancel_at,
  canceled_at: member.canceled_at,
  ended_at: member.ended_at,
  is_blocked: member.is_blocked,
  total_refunded_cents: member.total_refunded_cents,
});

const isEnding = ({ cancel_at_period_end, cancel_at }: MemberState): boolean =>
  cancel_at_period_end || cancel_at !== null;

function refundHappenings(before: MemberState | undefined, after: MemberState): Happening[] {
  const known = new Map(before?.refunds.map(({ refund_id, status }) => [refund_id, status]));
  return after.refunds.toReversed().flatMap(({ refund_id, charge_id, amount_cents, reason, status }) => {
    const { community_id, user } = after;
    const data = {
      refund_id,
      charge_id,
      amount_cents,
      reason,
      status,
      member_id: after.id,
      community_id,
      user_id: user.id,
    };
    const earlier = known.get(refund_id);
    const happenings: Happening[] = [];
    if (earlier === undefined) happenings.push({ type: "refund.created", data, previous: {} });
    if (isVoid(status) && !(earlier !== undefined && isVoid(earlier)))
      happenings.push({ type: "refund.failed", data, previous: earlier === undefined ? {} : { status: earlier } });
    return happenings;
  });
}

/** Gives the money back to the community's sums. */
const isVoid = (status: RefundEntry["status"]): boolean => status === "failed" || status === "canceled";

export type BenefitState = Pick<Benefit, "id" | "name" | "description" | "position" | "status" | "tier_ids"> & {
  readonly community_id: number;
};

/** What happened to a benefit that is new where there is no `before`, and deleted where there is no `after`. */
export function benefitHappenings(before: BenefitState | undefined, after: BenefitState | undefined): Happening[] {
  return recordHappenings("benefit", before && benefitFacts(before), after && benefitFacts(after), ({ status }) =>
    status === "archived" ? "benefit.archived" : "benefit.activated",
  );
}

const benefitFacts = ({ id, community_id, name, description, position, status, tier_ids }: BenefitState): Facts => ({
  id,
  community_id,
  name,
  description,
  position,
  status,
  tier_ids,
});

export type BrandState = Pick<Brand, "id" | "name" | "producer_ids">;

/** The same of a brand. */
export const brandHappenings = (before: BrandState | undefined, after: BrandState | undefined): Happening[] =>
  recordHappenings("brand", before && brandFacts(before), after && brandFacts(after));

const brandFacts = ({ id, name, producer_ids }: BrandState): Facts => ({ id, name, producer_ids });

function recordHappenings(
  kind: "benefit" | "brand",
  before: Facts | undefined,
  after: Facts | undefined,
  typeOfMove: (after: Facts) => EventType = () => `${kind}.updated`,
): Happening[] {
  if (after === undefined) return before ? [{ type: `${kind}.deleted`, data: before, previous: {} }] : [];
  const { data, previous } = change(before, after);
  if (!before) return [{ type: `${kind}.created`, data, previous }];
  const { status: moved, ...edited } = previous;
  const happenings: Happening[] = [];
  if (moved !== undefined) happenings.push({ type: typeOfMove(after), data, previous: { status: moved } });
  if (Object.keys(edited).length > 0) happenings.push({ type: `${kind}.updated`, data, previous: edited });
  return happenings;
}

/** The record as it is, and the former values of what has changed. */
const change = (before: Facts | undefined, after: Facts): Omit<Happening, "type"> => ({
  data: after,
  previous: Object.fromEntries(
    Object.entries(before ?? {}).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(after[name])),
  ),
});
