import type { StoredMember } from "#lib/store/members/item.ts";

/** A naive count of a community's stats from all members. */
export function naiveStats(members: readonly StoredMember[], now: Date) {
  const days = Array.from({ length: 30 }, (_, n) =>
    new Date(now.getTime() - n * 86_400_000).toISOString().slice(0, 10),
  );
  const isRecent = (at: string | null) => at !== null && days.includes(at.slice(0, 10));
  const letIn = members.filter(
    ({ status, is_blocked }) => ["active", "trialing", "past_due"].includes(status) && !is_blocked,
  );
  const refunds = members
    .flatMap((member) => member.refunds)
    .filter(
      ({ status, issued_at }) => ["pending", "succeeded", "requires_action"].includes(status) && isRecent(issued_at),
    );
  const joins = members.flatMap(({ first_granted_at }) => (first_granted_at === null ? [] : [first_granted_at]));
  const heat = joins.reduce((sum, at) => sum + 2 ** ((Date.parse(at) - now.getTime()) / (7 * 86_400_000)), 0);
  return {
    total: members.length,
    member_count: letIn.length,
    blocked: members.filter(({ is_blocked }) => is_blocked).length,
    active: members.filter(({ status }) => status === "active").length,
    joined: joins.filter(isRecent).length,
    left: members.filter(
      ({ status, ended_at, first_granted_at }) =>
        status === "canceled" && first_granted_at !== null && isRecent(ended_at),
    ).length,
    refunded: refunds.reduce((sum, { amount_cents }) => sum + amount_cents, 0),
    joiners: joins.length,
    heat: heat.toFixed(6),
  };
}
