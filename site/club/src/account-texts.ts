import type { Membership } from "./odis.ts";

/** Labels of memberships by the reason of their access, and whether they are good or bad news. */
export const standings: Readonly<Record<Membership["access"]["reason"], readonly [label: string, kind?: string]>> = {
  active: ["Active", "good"],
  trialing: ["Trial", "good"],
  owner: ["Owner", "good"],
  canceling: ["Canceled"],
  past_due: ["Payment failed", "bad"],
  unpaid: ["Unpaid or paused", "bad"],
  incomplete: ["Not paid yet", "bad"],
  blocked: ["Blocked", "bad"],
  ended: ["Ended"],
  not_a_member: [""],
};

/** What to tell a member whose membership ends while a payment is overdue. */
export const overdue = "Until then, the overdue payment may still be taken.";

/** What prevents the deletion of an account, by the code of the blocker. */
export const blockers: Readonly<Record<string, string>> = {
  owns_community: "You own a community. It needs another owner first.",
  pending_payment: "A payment is not settled yet. Try again when it is.",
  open_dispute: "A dispute about a payment is still open. Try again when it is closed.",
};
