import { isDeepStrictEqual } from "node:util";
import type { EventMember } from "../contract/event-data.ts";
import type { Change } from "../contract/events.ts";
import { isOtherInterval, isScheduled, isTakenBack } from "../domain/scheduled-change.ts";
import { closedDisputes, type FactChange } from "../fields/fact-change.ts";
import { shownIn } from "../fields/field.ts";
import { memberFields } from "../fields/member.ts";
import { pick } from "../pick.ts";
import { derivedFrom, type StoredMember } from "../store/members/item.ts";
import { type MemberStatus, statuses } from "../values/member-status.ts";
import { previousOf, type Rules, typesOf } from "./rules.ts";

/** The state from which events are derived. `user` is only an id, so that events cannot contain other personal data. */
export type MemberState = Pick<
  StoredMember,
  (typeof copied)[number] | "created_at" | "first_granted_at" | "shipping_address" | "version"
> &
  Partial<
    Pick<StoredMember, "changed_facts" | "erased_at" | "imported" | "is_paused" | "sync_version" | "trial_announced">
  > & {
    readonly user: Pick<StoredMember["user"], "id">;
  };

const copied = shownIn(memberFields, "event");

/** The data of a member in events. */
const memberData = (member: MemberState): EventMember => ({
  ...pick(member, copied),
  user_id: member.user.id,
  ...derivedFrom(member),
});

/**
 * The events of one write of a member, in this order: payments, refunds, disputes, member, access, erasure. Every change of
 * a field of `data.member` causes an event.
 */
export function memberChanges(before: MemberState | undefined, after: MemberState): Change[] {
  const [was, is] = [
    before && memberData(isEndedLate(before, after) ? withoutErasure(before) : before),
    memberData(after),
  ];
  const previous = previousOf(was, is);
  const own = { data: { member: is }, previous };
  const changed = [...Object.keys(previous), ...(isMoved(before, after) ? ["shipping_address"] : [])];
  const updated: Change = { type: "member.updated", ...own, changed };
  const types = [...memberTypes(before, after), ...typesOf<"access", EventMember>(accessRules, was, is)].toSorted(
    (a, b) => Number(a === "member.erased") - Number(b === "member.erased"),
  );
  const changes: Change[] = [
    ...factsOf(before, after).flatMap((change) => factChanges(is, change)),
    ...types.map((type) => (type === "member.updated" ? updated : { type, ...own })),
  ];
  return changes.length > 0 || isDeepStrictEqual(was, is) ? changes : [updated];
}

/**
 * Whether a write ends the membership of a person whom an earlier version of Odis erased without ending it. Receivers
 * still see the access of such a member as granted. False for the end of a subscription that a synchronization writes
 * after an erasure, because receivers have seen that access as revoked.
 */
const isEndedLate = (before: MemberState, after: MemberState): boolean =>
  before.erased_at !== undefined && grants(before) && !grants(after) && before.sync_version === after.sync_version;

const withoutErasure = (member: MemberState): MemberState => ({ ...member, erased_at: undefined });

/**
 * The changed payments, refunds and disputes that this write has added to the item. A write that adds none leaves the
 * previous ones in the item.
 */
function factsOf(before: MemberState | undefined, { changed_facts }: MemberState): readonly FactChange[] {
  if (!changed_facts || isDeepStrictEqual(changed_facts, before?.changed_facts)) return [];
  return changed_facts.changes.toSorted((a, b) => orderOfFacts[a.kind] - orderOfFacts[b.kind]);
}

const orderOfFacts: Readonly<Record<FactChange["kind"], number>> = { payment: 0, refund: 1, dispute: 2 };

/** The event types of a write. An import always sends exactly one event. */
const memberTypes = (before: MemberState | undefined, after: MemberState) =>
  isImport(before, after) ? (["member.imported"] as const) : typesOf<"member", MemberState>(memberRules, before, after);

const isImport = (before: MemberState | undefined, { imported, version }: MemberState): boolean =>
  imported?.version === version && imported.fingerprint !== before?.imported?.fingerprint;

const grants = (member: MemberState | undefined): boolean =>
  member !== undefined && statuses[member.status].grantsAccess;

/** Whether the address of a member changes. */
const isMoved = (before: MemberState | undefined, after: MemberState): boolean =>
  before !== undefined && !isDeepStrictEqual(after.shipping_address, before.shipping_address);

const isLive = (member: MemberState | undefined): member is MemberState =>
  member !== undefined && statuses[member.status].isLive;

const isEnding = ({ cancel_at_period_end, cancel_at }: MemberState): boolean =>
  cancel_at_period_end || cancel_at !== null;

/** Whether the status changes to one that causes this event. */
const becomes =
  (event: (typeof statuses)[MemberStatus]["event"]) => (before: MemberState | undefined, after: MemberState) =>
    statuses[after.status].event === event && after.status !== before?.status;

/** Whether the status is `unpaid` for a reason other than a pause requested by the member. */
const isUnpaid = (member: MemberState | undefined): boolean =>
  member?.is_paused !== true && member !== undefined && statuses[member.status].event === "member.unpaid";

const memberRules: Rules<"member", MemberState> = {
  "member.joined": (before, after) => grants(after) && !isLive(before),
  "member.imported": isImport,
  "member.renewed": (before, after) =>
    grants(before) && grants(after) && after.current_period_end > (before?.current_period_end ?? ""),
  "member.trial_ending": (before, { trial_announced }) =>
    trial_announced !== undefined && trial_announced !== before?.trial_announced,
  "member.past_due": becomes("member.past_due"),
  "member.unpaid": (before, after) => isUnpaid(after) && !isUnpaid(before),
  "member.recovered": (before, { status }) =>
    status === "active" && before !== undefined && statuses[before.status].isOverdue && before.is_paused !== true,
  "member.canceled": becomes("member.canceled"),
  "member.tier_changed": (before, { tier_id }) => before !== undefined && tier_id !== before.tier_id,
  "member.cancel_scheduled": (before, after) =>
    isLive(after) && isEnding(after) && !(isLive(before) && isEnding(before) && before.cancel_at === after.cancel_at),
  "member.uncanceled": (before, after) => isLive(before) && isLive(after) && isEnding(before) && !isEnding(after),
  "member.change_scheduled": isScheduled,
  "member.change_canceled": isTakenBack,
  "member.blocked": (before, { is_blocked }) => is_blocked && before?.is_blocked !== true,
  "member.unblocked": (before, { is_blocked }) => !is_blocked && before?.is_blocked === true,
  "member.erased": (before, { erased_at }) => erased_at !== undefined && before?.erased_at === undefined,
  "member.updated": (before, after) => {
    return (
      before !== undefined &&
      after.erased_at === undefined &&
      (isMoved(before, after) || isOtherInterval(before, after))
    );
  },
};

const accessRules: Rules<"access", EventMember> = {
  "access.granted": (before, { access }) =>
    access.granted && !(before?.access.granted && isDeepStrictEqual(access, before.access)),
  "access.revoked": (before, { access }) => before?.access.granted === true && !access.granted,
};

/** A refund or a dispute with its former status, `null` if it is new. */
type WithStatus = { readonly status: string; readonly former_status: string | null };

/** Whether the amount of a refund no longer counts. */
const isVoid = (status: string | null): boolean => status === "failed" || status === "canceled";

const becomesVoid = ({ status, former_status }: WithStatus): boolean => isVoid(status) && !isVoid(former_status);

/** A dispute with its former status and its latest final status before the change, `null` if there was none. */
type DisputeState = WithStatus & { readonly closed_as: string | null };

/** Whether a dispute ends, or an appeal changes how it ended. An unsuccessful appeal closes it again with the same status. */
const becomesClosed = ({ status, former_status, closed_as }: DisputeState): boolean =>
  closedDisputes.includes(status) && status !== former_status && status !== closed_as;

const paymentRules: Rules<"payment", { readonly status: string }> = {
  "payment.succeeded": (_, { status }) => status === "succeeded",
  "payment.failed": (_, { status }) => status === "failed",
};

const refundRules: Rules<"refund", WithStatus> = {
  "refund.created": (_, { former_status }) => former_status === null,
  "refund.failed": (_, refund) => becomesVoid(refund),
  "refund.updated": (_, refund) => refund.former_status !== null && !becomesVoid(refund),
};

const disputeRules: Rules<"dispute", DisputeState> = {
  "dispute.opened": (_, { former_status }) => former_status === null,
  "dispute.closed": (_, dispute) => becomesClosed(dispute),
  "dispute.updated": (_, dispute) => dispute.former_status !== null && !becomesClosed(dispute),
};

/** The events of a payment, refund or dispute. `previous` has the former status, unless it is new. */
function factChanges(member: EventMember, change: FactChange): Change[] {
  switch (change.kind) {
    case "payment": {
      const { payment } = change;
      const types = typesOf<"payment", { readonly status: string }>(paymentRules, undefined, payment);
      return types.map((type) => ({ type, data: { member, payment }, previous: {} }));
    }
    case "refund": {
      const { refund, former_status } = change;
      const types = typesOf<"refund", WithStatus>(refundRules, undefined, { status: refund.status, former_status });
      const previous = former_status === null ? {} : { status: former_status };
      return types.map((type) => ({ type, data: { member, refund }, previous }));
    }
    case "dispute": {
      const { dispute, former_status, closed_as } = change;
      const state = { status: dispute.status, former_status, closed_as };
      const types = typesOf<"dispute", DisputeState>(disputeRules, undefined, state);
      const previous = former_status === null ? {} : { status: former_status };
      return types.map((type) => ({ type, data: { member, dispute }, previous }));
    }
  }
}
