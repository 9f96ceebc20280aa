import {
  BenefitEventData,
  BrandEventData,
  type Change,
  type EventData,
  type EventType,
  MemberEventData,
} from "../contract/events.ts";
import type { Brand } from "../domain/brand.ts";
import { statuses } from "../domain/member-status.ts";
import type { RefundEntry } from "../domain/refund-entry.ts";
import { pick } from "../pick.ts";
import type { StoredBenefit } from "../store/benefits.ts";
import type { StoredMember } from "../store/members/item.ts";

type AreaOf<T extends string> = T extends `${infer Name}.${string}` ? Name : never;
type Area = AreaOf<EventType>;
type TypeOf<A extends Area> = Extract<EventType, `${A}.${string}`>;

/** The records that changes are seen of. An event of another record does not compile. */
type States = { member: MemberState; refund: RefundState; benefit: BenefitState; brand: BrandState };

/**
 * For each type of event, whether a change causes it: the former values of what has changed, or undefined. An event type
 * without a rule does not compile. The events of one change follow the order of the rules.
 */
type Rules<A extends Area> = Readonly<
  Record<
    TypeOf<A>,
    (before: States[A] | undefined, after: States[A] | undefined) => Partial<EventData<TypeOf<A>>> | undefined
  >
>;

function causedBy<A extends Area>(rules: Rules<A>, before: States[A] | undefined, after: States[A] | undefined) {
  const types = Object.keys(rules) as TypeOf<A>[];
  return types.flatMap((type) => {
    const previous = rules[type](before, after);
    return previous ? [{ type, previous }] : [];
  });
}

export type MemberState = Pick<StoredMember, keyof StoredMember & keyof EventData<"member.joined">> & {
  readonly user: Pick<StoredMember["user"], "id">;
  readonly erased_at?: string | undefined;
  /** The newest hundred. */
  readonly refunds: readonly RefundState[];
};

/** The events of a change of a member. Edits of notes, addresses and metadata cause no event. */
export function memberChanges(before: MemberState | undefined, after: MemberState): Change[] {
  const data = memberData(after);
  return [
    ...causedBy<"member">(memberRules, before, after).map((change) => ({ ...change, data })),
    ...after.refunds.toReversed().flatMap((refund) => {
      const earlier = before?.refunds.find(({ refund_id }) => refund_id === refund.refund_id);
      return causedBy<"refund">(refundRules, earlier, refund).map((change) => ({
        ...change,
        data: refundData(after, refund),
      }));
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

const memberRules: Rules<"member"> = {
  "member.joined": when((before, after) => isLive(after) && !isLive(before)),
  "member.cancel_scheduled": when(
    (before, after) =>
      isLive(after) && isEnding(after) && !(isLive(before) && isEnding(before) && before.cancel_at === after.cancel_at),
  ),
  "member.uncanceled": when((before, after) => isLive(before) && isLive(after) && isEnding(before) && !isEnding(after)),
  "member.canceled": when((before, after) => isLive(before) && !isLive(after)),
  "member.blocked": when((before, after) => after.is_blocked && before?.is_blocked !== true),
  "member.erased": when((before, after) => after.erased_at !== undefined && before?.erased_at === undefined),
  "member.unblocked": when((before, after) => !after.is_blocked && before?.is_blocked === true),
};

function memberData(member: MemberState): EventData<"member.joined"> {
  const { user_id: _, ...own } = MemberEventData.entries;
  return { ...pick(member, namesOf(own)), user_id: member.user.id };
}

type RefundState = Pick<RefundEntry, keyof RefundEntry & keyof EventData<"refund.created">>;

/** Gives the money back to the community's sums. */
const isVoid = (refund: RefundState | undefined): boolean =>
  refund?.status === "failed" || refund?.status === "canceled";

const refundRules: Rules<"refund"> = {
  "refund.created": (before) => (before ? undefined : {}),
  "refund.failed": (before, after) =>
    isVoid(after) && !isVoid(before) ? (before ? { status: before.status } : {}) : undefined,
};

const refundData = ({ id: member_id, community_id, user }: MemberState, refund: RefundState) => ({
  ...pick(refund, ["refund_id", "charge_id", "amount_cents", "reason", "status"]),
  member_id,
  community_id,
  user_id: user.id,
});

export type BenefitState = Pick<StoredBenefit, keyof EventData<"benefit.created">>;

/** The events of a change of a benefit. It is new without `before`, and deleted without `after`. */
export function benefitChanges(before: BenefitState | undefined, after: BenefitState | undefined): Change[] {
  const [was, is] = [before && benefitData(before), after && benefitData(after)];
  const data = is ?? was;
  return data ? causedBy<"benefit">(benefitRules, was, is).map((change) => ({ ...change, data })) : [];
}

const movedTo =
  (status: BenefitState["status"]) => (before: BenefitState | undefined, after: BenefitState | undefined) =>
    before && after?.status === status && before.status !== status ? { status: before.status } : undefined;

const benefitRules: Rules<"benefit"> = {
  "benefit.created": (before) => (before ? undefined : {}),
  "benefit.deleted": (_, after) => (after ? undefined : {}),
  "benefit.archived": movedTo("archived"),
  "benefit.activated": movedTo("active"),
  "benefit.updated": (before, after) => {
    const { status: _, ...edited } = before && after ? previousOf(before, after) : {};
    return anyOf(edited);
  },
};

const benefitData = (benefit: BenefitState): BenefitState => pick(benefit, namesOf(BenefitEventData.entries));

export type BrandState = Pick<Brand, keyof EventData<"brand.created">>;

/** The events of a change of a brand. */
export function brandChanges(before: BrandState | undefined, after: BrandState | undefined): Change[] {
  const [was, is] = [before && brandData(before), after && brandData(after)];
  const data = is ?? was;
  return data ? causedBy<"brand">(brandRules, was, is).map((change) => ({ ...change, data })) : [];
}

const brandRules: Rules<"brand"> = {
  "brand.created": (before) => (before ? undefined : {}),
  "brand.deleted": (_, after) => (after ? undefined : {}),
  "brand.updated": (before, after) => (before && after ? anyOf(previousOf(before, after)) : undefined),
};

const brandData = (brand: BrandState): BrandState => pick(brand, namesOf(BrandEventData.entries));

const namesOf = <T extends object>(entries: T) => Object.keys(entries) as (keyof T)[];

const anyOf = <T extends object>(values: T): T | undefined => (Object.keys(values).length > 0 ? values : undefined);

/** The former values of the fields that changed. */
function previousOf<T extends object>(before: T | undefined, after: T): Partial<T> {
  const names = Object.keys(before ?? {}) as (keyof T)[];
  const changed = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name]));
  return Object.fromEntries(changed.map((name) => [name, before?.[name]])) as Partial<T>;
}
