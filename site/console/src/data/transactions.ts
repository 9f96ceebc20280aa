import { dateOf, moneyOf } from "../format.ts";
import type { Tone } from "../parts/tone.ts";
import type { Odis, Transaction } from "./odis.ts";

/** What the owner reads about each kind of transaction, in the plural. */
export const kinds = { payment: "Payments", refund: "Refunds", dispute: "Disputes" } as const;

const disputeTexts: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  needs_response: { text: "Dispute to answer", tone: "danger" },
  warning_needs_response: { text: "Inquiry to answer", tone: "danger" },
  appeal_needs_response: { text: "Appeal to answer", tone: "danger" },
  under_review: { text: "Dispute under review", tone: "warning" },
  warning_under_review: { text: "Inquiry under review", tone: "warning" },
  appeal_under_review: { text: "Appeal under review", tone: "warning" },
  won: { text: "Dispute won", tone: "good" },
  warning_closed: { text: "Inquiry closed", tone: "good" },
  prevented: { text: "Dispute prevented", tone: "good" },
  lost: { text: "Dispute lost", tone: "danger" },
};

const refundTexts: Readonly<Record<string, { readonly text: string; readonly tone: Tone }>> = {
  succeeded: { text: "Refund", tone: "neutral" },
  pending: { text: "Refund on its way", tone: "neutral" },
  requires_action: { text: "Refund waits for the member", tone: "warning" },
  failed: { text: "Refund failed", tone: "danger" },
  canceled: { text: "Refund canceled", tone: "neutral" },
};

/** What a transaction is, in words. */
export function transactionState({ type, status }: Transaction): { readonly text: string; readonly tone: Tone } {
  if (type === "payment") return { text: "Payment", tone: "good" };
  const texts = type === "refund" ? refundTexts : disputeTexts;
  return texts[status] ?? { text: type === "refund" ? "Refund" : "Dispute", tone: "neutral" };
}

/** Whether a transaction moved no money: a refund or dispute that came to nothing, or an inquiry before a dispute. */
export const isWithoutMoney = ({ type, status }: Transaction): boolean =>
  type !== "payment" && /^(?:failed|canceled|won|prevented|warning_.*)$/.test(status);

/** The statuses of disputes that the owner can answer in Stripe. */
const answerable = ["needs_response", "warning_needs_response", "appeal_needs_response"] as const;

/** Reasons of disputes, in Stripe's words: https://docs.stripe.com/disputes/categories */
const reasons: Readonly<Record<string, string>> = {
  bank_cannot_process: "the bank could not process the payment",
  credit_not_processed: "a refund was promised and not received",
  customer_initiated: "the member asked the bank for the money back",
  duplicate: "charged twice",
  fraudulent: "the cardholder says they did not make the payment",
  general: "the bank gave no reason",
  product_not_received: "the product did not arrive",
  product_unacceptable: "the product was damaged or not as described",
  subscription_canceled: "charged after the subscription was canceled",
  unrecognized: "the cardholder does not recognize the payment",
};

/** `Answer by December 3, 2026: the product did not arrive, $90.00` */
export function disputeText({ reason, evidence_due_at, amount_cents }: Transaction): string {
  const due = evidence_due_at === null ? "Answer it in Stripe" : `Answer by ${dateOf(evidence_due_at)}`;
  return `${due}: ${reasons[reason ?? ""] ?? "the bank gave no reason"}, ${moneyOf(amount_cents)}`;
}

/** The disputes of a community that can be answered, the most urgent one first. */
export async function readOpenDisputes(odis: Odis, communityId: number, signal: AbortSignal): Promise<Transaction[]> {
  const pages = await Promise.all(
    answerable.map((status) =>
      odis.get("/odis/v1/communities/{community_id}/transactions", {
        params: { path: { community_id: communityId }, query: { type: "dispute", status, per: 100 } },
        signal,
      }),
    ),
  );
  const dueAt = ({ evidence_due_at }: Transaction): string => evidence_due_at ?? "9";
  return pages.flatMap(({ data }) => data).toSorted((a, b) => (dueAt(a) < dueAt(b) ? -1 : 1));
}
