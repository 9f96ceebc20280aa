import { canonicalJson } from "../canonical-json.ts";
import type { Operation } from "../domain/operation.ts";
import { type AuditEntry, byStripe } from "../store/activity.ts";
import { type Payment, putDispute, putPayment, putRefund, type StoredRefund, withoutNote } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Fact } from "../store/members/sync.ts";
import type { Ledger } from "../store/operations.ts";
import { closedDisputes, type FactChange } from "../values/fact-change.ts";
import { actorOf } from "./derive.ts";
import { withoutLinks } from "./payments.ts";
import { type ChargeWithRefunds, idOf, isoOf, refundFacts } from "./snapshot.ts";

/**
 * Every refund that was ever seen of the member's payments, with who issued it and why where it was ours; those that are
 * new or changed apart. Refunds of an import are noted with its first synchronization.
 */
export function refundsAfter(
  before: StoredMember | undefined,
  charges: readonly ChargeWithRefunds[],
  { operations, refunds: stored }: Ledger,
) {
  const known = new Map(stored.map((refund) => [refund.refund_id, refund]));
  const begun = new Map(operations.map((operation) => [operation.id, operation]));
  const listed = charges.flatMap(({ charge, refunds }) =>
    refunds.map((refund): StoredRefund => {
      const facts = refundFacts(refund, charge);
      const ours = known.get(refund.id) ?? attributed(facts, begun.get(facts.operation_id ?? ""));
      return { ...facts, reason: ours.reason, note: ours.note, issued_by: ours.issued_by };
    }),
  );
  const isFirst = before?.imported && before.sync_version === 0;
  const imported = isFirst ? before.refunds.map((refund): StoredRefund => ({ ...refund, operation_id: null })) : [];
  const kept = before?.erased_at === undefined ? listed : listed.map(withoutNote);
  const former = before?.erased_at === undefined ? stored : stored.map(withoutNote);
  const all = [...new Map([...imported, ...former, ...kept].map((refund) => [refund.refund_id, refund])).values()];
  const changed = all.filter((refund) => known.get(refund.refund_id)?.status !== refund.status);
  return { all, changed, known, imported };
}

/** A refund that is seen for the first time takes its reason, note and issuer from the operation that made it. */
function attributed(facts: StoredRefund, operation: Operation | undefined): StoredRefund {
  if (operation?.intent.kind !== "refund") return facts;
  const { reason, note } = operation.intent;
  return { ...facts, reason, note, issued_by: operation.actor_id };
}

/** The refunds that are new or have changed, each with the audit entry of that. */
export const refundWrites = (
  memberId: number,
  { changed, known, imported }: ReturnType<typeof refundsAfter>,
  { done, since }: { readonly done: readonly Operation[]; readonly since: string | undefined },
): Fact[] =>
  changed.map((refund) => {
    const { refund_id, charge_id, amount_cents, status, reason, operation_id } = refund;
    const earlier = known.get(refund_id);
    const put = putRefund(memberId, refund, earlier);
    if (imported.includes(refund)) return { write: put };
    const { note: _, operation_id: __, ...shown } = refund;
    const changes = told(refund.issued_at, earlier ? undefined : since, [
      { kind: "refund", refund: shown, former_status: earlier?.status ?? null },
    ]);
    const after = { refund_id, charge_id, amount_cents, status, reason };
    const operation = done.find(({ id }) => id === operation_id);
    const by = operation && !earlier ? actorOf(operation) : { actor: byStripe };
    const entry: AuditEntry = earlier
      ? { action: "refund_changed", before: { refund_id, status: earlier.status }, after, ...by }
      : { action: "refunded", after, ...by };
    return { write: put, entry, changes };
  });

/** The payments and disputes that are new or have changed. A draft may still be deleted: it is not kept. */
export function paymentWrites(
  memberId: number,
  payments: readonly Payment[],
  charges: readonly ChargeWithRefunds[],
  { ledger, since }: { readonly ledger: Ledger; readonly since: string | undefined },
): Fact[] {
  const stored = new Map(ledger.payments.map((payment) => [payment.id, payment]));
  const disputes = new Map(ledger.disputes.map((dispute) => [dispute.dispute_id, dispute]));
  return [
    ...payments
      .filter(({ status }) => status !== "draft")
      .map(withoutLinks)
      .filter((payment) => {
        const { revision: _, ...known } = stored.get(payment.id) ?? { revision: 0 };
        return canonicalJson(payment) !== canonicalJson(known);
      })
      .map((payment) => {
        const known = stored.get(payment.id);
        const changes = paymentChanges(known, payment).flatMap((change) => told(change.payment.at, since, [change]));
        return { write: putPayment(memberId, payment, known), changes };
      }),
    ...charges
      .flatMap((one) => one.disputes)
      .map((dispute) => ({
        dispute_id: dispute.id,
        charge_id: idOf(dispute.charge) ?? "",
        amount_cents: dispute.amount,
        status: dispute.status,
        created_at: isoOf(dispute.created),
      }))
      .filter(({ dispute_id, status }) => disputes.get(dispute_id)?.status !== status)
      .map((dispute) => {
        const { dispute_id: id, charge_id, amount_cents, status, created_at } = dispute;
        const known = disputes.get(id);
        const closed = known && (finalOf(known.status) ?? known.closed_as);
        const closed_as = finalOf(status) ?? closed;
        const changes = told(created_at, known ? undefined : since, [
          { kind: "dispute", dispute: { id, charge_id, amount_cents, status }, former_status: known?.status ?? null },
        ]);
        return {
          write: putDispute(memberId, { ...dispute, ...(closed_as !== undefined && { closed_as }) }, known),
          // An appeal that changes nothing ends a dispute as it had ended before.
          changes: status === closed ? [] : changes,
        };
      }),
  ];
}

const finalOf = (status: string): string | undefined => closedDisputes.find((final) => final === status);

/** The failed attempts to pay an invoice that are new, oldest first, then its payment. Invoices of 0 are not paid. */
function paymentChanges(known: Payment | undefined, payment: Payment): Extract<FactChange, { kind: "payment" }>[] {
  const invoice_id = payment.id;
  const hadFailed = new Set(known?.charges.filter(isFailed).map(({ id }) => id));
  const attempts = payment.charges
    .filter((charge) => isFailed(charge) && !hadFailed.has(charge.id))
    .map(({ id, amount_cents, created_at: at }) => ({ id, invoice_id, amount_cents, status: "failed" as const, at }));
  const paid = payment.charges.filter(({ paid_cents }) => paid_cents > 0);
  const amount_cents = collectedOf(payment);
  // Charges are read beside the invoices: that of an invoice that has just been paid may have been missing.
  const wasPaid = known?.status === "paid" && collectedOf(known) > 0;
  const isPaidNow = payment.status === "paid" && !wasPaid && amount_cents > 0;
  const { id = invoice_id, created_at = payment.created_at } = paid[0] ?? {};
  const success = { id, invoice_id, amount_cents, status: "succeeded" as const, at: payment.paid_at ?? created_at };
  return [...attempts.toSorted((a, b) => (a.at < b.at ? -1 : 1)), ...(isPaidNow ? [success] : [])].map((one) => ({
    kind: "payment",
    payment: one,
  }));
}

const collectedOf = ({ charges, paid_off_stripe_cents }: Payment): number =>
  charges.reduce((sum, { paid_cents }) => sum + paid_cents, paid_off_stripe_cents);

const isFailed = ({ status }: Payment["charges"][number]): boolean => status === "failed";

/** Changes of a fact of this time, if events tell of it. */
const told = <T extends FactChange>(at: string, since: string | undefined, changes: readonly T[]): readonly T[] =>
  since === undefined || at >= since ? changes : [];

/**
 * From which time on new payments, refunds and disputes have events: those that were there before an import, or before
 * facts were kept, have none.
 *
 * @returns undefined if all have events
 */
export function toldSince(
  before: StoredMember | undefined,
  { subscriptions }: Pick<Ledger, "subscriptions">,
): string | undefined {
  if (!before) return undefined;
  if (before.sync_version === 0) return before.imported?.at ?? before.updated_at;
  return subscriptions.length === 0 ? before.updated_at : undefined;
}
