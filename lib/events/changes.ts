import type { Change, EventData, EventType } from "../contract/events.ts";
import type { Brand } from "../domain/brand.ts";
import type { RefundEntry } from "../domain/member.ts";
import { statuses } from "../domain/member-status.ts";
import type { StoredBenefit } from "../store/benefits.ts";
import type { StoredMember } from "../store/members/item.ts";

type TypeOf<Area extends string> = Extract<EventType, `${Area}.${string}`>;

/**
 * For each type of event, what a change must be to be told by it: the former values of what has changed, or undefined
 * where it is not told. An event type without a rule does not compile. Several are told in the order of the rules.
 */
type Rules<Area extends string, State, Data> = Readonly<
  Record<TypeOf<Area>, (before: State | undefined, after: State | undefined) => Partial<Data> | undefined>
>;

function told<Area extends string, State, Data>(
  rules: Rules<Area, State, Data>,
  before: State | undefined,
  after: State | undefined,
): { readonly type: TypeOf<Area>; readonly previous: Partial<Data> }[] {
  const types = Object.keys(rules) as TypeOf<Area>[];
  return types.flatMap((type) => {
    const previous = rules[type](before, after);
    return previous ? [{ type, previous }] : [];
  });
}

export type MemberState = Pick<StoredMember, keyof StoredMember & keyof EventData<"member.joined">> & {
  readonly user: Pick<StoredMember["user"], "id">;
  /** The newest hundred. */
  readonly refunds: readonly RefundState[];
};

/** What happened to a member who was `before` and is `after`. Edits of notes, addresses and metadata are not told. */
export function memberChanges(before: MemberState | undefined, after: MemberState): Change[] {
  const data = memberData(after);
  return [
    ...told(memberRules, before, after).map((change) => ({ ...change, data })),
    ...after.refunds.toReversed().flatMap((refund) => {
      const earlier = before?.refunds.find(({ refund_id }) => refund_id === refund.refund_id);
      return told(refundRules, earlier, refund).map((change) => ({ ...change, data: refundData(after, refund) }));
    }),
  ];
}

const isLive = (member: MemberState | undefined): member is MemberState =>
  member !== undefined && statuses[member.status].isLive;

const isEnding = ({ cancel_at_period_end, cancel_at }: MemberState): boolean =>
  cancel_at_period_end || cancel_at !== null;

/** A rule for members that only asks whether something is so. */
const when =
  (holds: (before: MemberState | undefined, after: MemberState) => boolean) =>
  (before: MemberState | undefined, after: MemberState | undefined) =>
    after && holds(before, after) ? previousOf(before && memberData(before), memberData(after)) : undefined;

const memberRules: Rules<"member", MemberState, EventData<"member.joined">> = {
  "member.joined": when((before, after) => isLive(after) && !isLive(before)),
  "member.cancel_scheduled": when(
    (before, after) =>
      isLive(after) && isEnding(after) && !(isLive(before) && isEnding(before) && before.cancel_at === after.cancel_at),
  ),
  "member.uncanceled": when((before, after) => isLive(before) && isLive(after) && isEnding(before) && !isEnding(after)),
  "member.canceled": when((before, after) => isLive(before) && !isLive(after)),
  "member.blocked": when((before, after) => after.is_blocked && before?.is_blocked !== true),
  "member.unblocked": when((before, after) => !after.is_blocked && before?.is_blocked === true),
};

const memberData = (member: MemberState): EventData<"member.joined"> => ({
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

type RefundState = Pick<RefundEntry, "refund_id" | "charge_id" | "amount_cents" | "reason" | "status">;

/** Gives the money back to the community's sums. */
const isVoid = (refund: RefundState | undefined): boolean =>
  refund?.status === "failed" || refund?.status === "canceled";

const refundRules: Rules<"refund", RefundState, EventData<"refund.created">> = {
  "refund.created": (before) => (before ? undefined : {}),
  "refund.failed": (before, after) =>
    isVoid(after) && !isVoid(before) ? (before ? { status: before.status } : {}) : undefined,
};

const refundData = ({ id: member_id, community_id, user }: MemberState, refund: RefundState) => {
  const { refund_id, charge_id, amount_cents, reason, status } = refund;
  return { refund_id, charge_id, amount_cents, reason, status, member_id, community_id, user_id: user.id };
};

export type BenefitState = Pick<StoredBenefit, keyof EventData<"benefit.created">>;

/** What happened to a benefit that is new where there is no `before`, and deleted where there is no `after`. */
export function benefitChanges(before: BenefitState | undefined, after: BenefitState | undefined): Change[] {
  const [was, is] = [before && benefitData(before), after && benefitData(after)];
  const data = is ?? was;
  return data ? told(benefitRules, was, is).map((change) => ({ ...change, data })) : [];
}

const movedTo =
  (status: BenefitState["status"]) => (before: BenefitState | undefined, after: BenefitState | undefined) =>
    before && after?.status === status && before.status !== status ? { status: before.status } : undefined;

const benefitRules: Rules<"benefit", BenefitState, BenefitState> = {
  "benefit.created": (before) => (before ? undefined : {}),
  "benefit.deleted": (_, after) => (after ? undefined : {}),
  "benefit.archived": movedTo("archived"),
  "benefit.activated": movedTo("active"),
  "benefit.updated": (before, after) => {
    const { status: _, ...edited } = before && after ? previousOf(before, after) : {};
    return anyOf(edited);
  },
};

const benefitData = (benefit: BenefitState): BenefitState => {
  const { id, community_id, name, description, position, status, tier_ids } = benefit;
  return { id, community_id, name, description, position, status, tier_ids };
};

export type BrandState = Pick<Brand, keyof EventData<"brand.created">>;

/** The same of a brand. */
export function brandChanges(before: BrandState | undefined, after: BrandState | undefined): Change[] {
  const [was, is] = [before && brandData(before), after && brandData(after)];
  const data = is ?? was;
  return data ? told(brandRules, was, is).map((change) => ({ ...change, data })) : [];
}

const brandRules: Rules<"brand", BrandState, BrandState> = {
  "brand.created": (before) => (before ? undefined : {}),
  "brand.deleted": (_, after) => (after ? undefined : {}),
  "brand.updated": (before, after) => (before && after ? anyOf(previousOf(before, after)) : undefined),
};

const brandData = ({ id, name, producer_ids }: BrandState): BrandState => ({ id, name, producer_ids });

const anyOf = <T extends object>(values: T): T | undefined => (Object.keys(values).length > 0 ? values : undefined);

/** The former values of what has changed. */
function previousOf<T extends object>(before: T | undefined, after: T): Partial<T> {
  const names = Object.keys(before ?? {}) as (keyof T)[];
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, before?.[name]])) as Partial<T>;
}
