import * as fc from "fast-check";
import type { StoredMember } from "#lib/store/members/item.ts";
import { MemberStatus } from "#lib/values/member-status.ts";
import { type GivenCommunity, memberOf } from "../../support/given.ts";

const day = 86_400_000;

/** Something that happens to one of a community's members. */
const Step = fc.oneof(
  fc.record({ kind: fc.constant("status" as const), status: fc.constantFrom(...MemberStatus.options) }),
  fc.record({ kind: fc.constant("tier" as const), tier: fc.nat(1) }),
  fc.record({ kind: fc.constant("block" as const) }),
  fc.record({ kind: fc.constant("refund" as const), cents: fc.integer({ min: 1, max: 9_999 }) }),
  fc.record({ kind: fc.constant("refund fails" as const) }),
  fc.record({ kind: fc.constant("notes" as const) }),
);
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never;

/** Steps with their member and their age in days, in the order of time. */
export const History = fc
  .array(fc.record({ member: fc.nat(4), daysAgo: fc.nat(45), step: Step }), { maxLength: 30 })
  .map((steps) => steps.toSorted((a, b) => b.daysAgo - a.daysAgo));
export type History = typeof History extends fc.Arbitrary<infer T> ? T : never;

export type Turn = { readonly before: StoredMember | undefined; readonly after: StoredMember };

/** The members before and after each step. */
export function turnsOf(history: History, community: GivenCommunity, tiers: readonly number[], now: Date): Turn[] {
  const members = new Map<number, StoredMember>();
  return history.map(({ member, daysAgo, step }) => {
    const at = new Date(now.getTime() - daysAgo * day).toISOString();
    const before = members.get(member);
    const after = next(before ?? memberOf(community, { status: "incomplete" }), step, tiers, at);
    members.set(member, after);
    return { before, after };
  });
}

function next(member: StoredMember, step: Step, tiers: readonly number[], at: string): StoredMember {
  switch (step.kind) {
    case "status": {
      const { status } = step;
      const first_granted_at =
        member.first_granted_at ?? (["active", "trialing", "past_due"].includes(status) ? at : null);
      return { ...member, status, first_granted_at, ended_at: status === "canceled" ? at : null };
    }
    case "tier":
      return { ...member, tier_id: tiers[step.tier] ?? member.tier_id };
    case "block":
      return { ...member, is_blocked: !member.is_blocked };
    case "refund": {
      const of = { refund_id: `re_${member.refunds.length}`, charge_id: "ch_1", note: null, issued_by: null };
      const refund = {
        ...of,
        reason: "unspecified",
        status: "pending",
        amount_cents: step.cents,
        issued_at: at,
      } as const;
      return { ...member, refunds: [refund, ...member.refunds] };
    }
    case "refund fails":
      return {
        ...member,
        refunds: member.refunds.map((refund, n) => (n === 0 ? { ...refund, status: "failed" } : refund)),
      };
    case "notes":
      return { ...member, notes: `${member.notes}.` };
    default:
      return step satisfies never;
  }
}
