import { canonicalJson } from "../canonical-json.ts";
import type { Operation } from "../domain/operation.ts";
import type { FactChange } from "../fields/fact-change.ts";
import { erasedRecord, shownIn } from "../fields/field.ts";
import { refundFields } from "../fields/refund.ts";
import { pick } from "../pick.ts";
import { type AuditEntry, byStripe } from "../store/activity.ts";
import {
  collectedOf,
  type Payment,
  putDispute,
  putPayment,
  putRefund,
  type StoredDispute,
  type StoredRefund,
} from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Fact } from "../store/members/sync.ts";
import type { Ledger } from "../store/operations.ts";
import { actorOf } from "./derive.ts";
import { lastClosedAs } from "./disputes.ts";
import { subscriptionIdOf, withoutLinks } from "./payments.ts";
import { type ChargeWithRefunds, idOf, refundFacts, type Snapshot } from "./snapshot.ts";

/**
 * Merges the refunds of an import, the stored ones and those at Stripe. A refund that Odis made has its issuer and reason.
 *
 * @returns `refunds`: all refunds. `changed`: those that are new or have another status. `stored`: the stored refunds by id.
 * `imported`: the refunds of an import, which its first synchronization stores
 */
export function mergeRefunds(
  before: StoredMember | undefined,
  charges: readonly ChargeWithRefunds[],
  { operations, refunds: storedRefunds }: Ledger,
) {
  const stored = new Map(storedRefunds.map((refund) => [refund.refund_id, refund]));
  const operationsById = new Map(operations.map((operation) => [operation.id, operation]));
  const listed = charges.flatMap(({ charge, refunds }) =>
    refunds.map((refund): StoredRefund => {
      const facts = refundFacts(refund, charge);
      const { reason, note, issued_by } =
        stored.get(refund.id) ?? withIssuer(facts, operationsById.get(facts.operation_id ?? ""));
      return { ...facts, reason, note, issued_by };
    }),
  );
  const isFirst = before?.imported && before.sync_version === 0;
  const imported = isFirst ? before.refunds.map((refund): StoredRefund => ({ ...refund, operation_id: null })) : [];
  const known = [...storedRefunds, ...listed];
  const kept = before?.erased_at === undefined ? known : known.map((refund) => erasedRecord(refundFields, refund));
  const refunds = [...new Map([...imported, ...kept].map((refund) => [refund.refund_id, refund])).values()];
  const changed = refunds.filter((refund) => stored.get(refund.refund_id)?.status !== refund.status);
  return { refunds, changed, stored, imported };
}

/** Adds to a refund the reason, note and issuer from the operation that made the refund. */
function withIssuer(facts: StoredRefund, operation: Operation | undefined): StoredRefund {
  if (operation?.intent.kind !== "refund") return facts;
  const { reason, note } = operation.intent;
  return { ...facts, reason, note, issued_by: operation.actor_id };
}

/** The writes of new and changed refunds, each with its audit entry and its changes for events. */
export const refundWrites = (
  memberId: number,
  { changed, stored, imported }: ReturnType<typeof mergeRefunds>,
  { done, since }: { readonly done: readonly Operation[]; readonly since: string | undefined },
): Fact[] =>
  changed.map((refund) => {
    const { refund_id, charge_id, amount_cents, status, reason, operation_id } = refund;
    const earlier = stored.get(refund_id);
    const put = putRefund(memberId, refund, earlier);
    if (imported.includes(refund)) return { write: put };
    const shown = pick(refund, shownIn(refundFields, "event"));
    const changes = changesSince(refund.issued_at, earlier ? undefined : since, [
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

type PaymentScope = {
  readonly ledger: Ledger;
  readonly since: string | undefined;
  /** Whether an invoice is that of a change. If it is not paid, the change is not made, and no renewal has failed. */
  readonly isChange: (invoice: string) => boolean;
  /** The tier that an invoice was paid for. */
  readonly tierOf: (invoice: string) => number | null;
};

/** A charged change is sent within an hour of its request. Includes the skew of clocks. */
const sentWithinMs = 2 * 60 * 60_000;

/**
 * Whether an invoice is that of a change which is made once it is paid. A change by a schedule is made in any case, so that
 * its unpaid invoice is like that of a renewal. Invoices and subscriptions are read in parallel, so that the invoice of a
 * member's own change is also recognized by its operation.
 */
export const isPendingChange =
  (
    { invoices, subscriptions }: Pick<Snapshot, "invoices" | "subscriptions">,
    { operations }: Pick<Ledger, "operations">,
  ) =>
  (id: string): boolean => {
    const invoice = invoices.find((one) => one.id === id);
    if (invoice?.billing_reason !== "subscription_update") return false;
    const waits = subscriptions.some((one) => one.pending_update && idOf(one.latest_invoice) === id);
    const isOfOperation = operations.some(
      ({ intent, created_at }) =>
        intent.kind === "change" &&
        intent.charge !== null &&
        intent.subscription_id === subscriptionIdOf(invoice) &&
        Math.abs(1000 * invoice.created - Date.parse(created_at)) < sentWithinMs,
    );
    return waits || isOfOperation || invoice.status === "void" || invoice.status === "paid";
  };

/** The writes of new and changed payments and disputes. Drafts are not stored, because they can be deleted. */
export function paymentWrites(
  memberId: number,
  payments: readonly Payment[],
  disputes: readonly StoredDispute[],
  { ledger, since, isChange, tierOf }: PaymentScope,
): Fact[] {
  const stored = new Map(ledger.payments.map((payment) => [payment.id, payment]));
  const storedDisputes = new Map(ledger.disputes.map((dispute) => [dispute.dispute_id, dispute]));
  return [
    ...payments
      .filter(({ status }) => status !== "draft")
      .map(withoutLinks)
      .filter((payment) => {
        const { revision: _, ...storedPayment } = stored.get(payment.id) ?? { revision: 0 };
        return canonicalJson(payment) !== canonicalJson(storedPayment);
      })
      .map((payment) => {
        const storedPayment = stored.get(payment.id);
        const changes = paymentChanges(storedPayment, payment, tierOf(payment.id))
          .filter((change) => change.payment.status !== "failed" || !isChange(payment.id))
          .flatMap((change) => changesSince(change.payment.at, since, [change]));
        return { write: putPayment(memberId, payment, storedPayment), changes };
      }),
    ...disputes
      .filter((dispute) => canonicalJson(dispute) !== canonicalJson(storedDisputes.get(dispute.dispute_id)))
      .map((dispute) => {
        const { dispute_id: id, charge_id, amount_cents, status, created_at } = dispute;
        const storedDispute = storedDisputes.get(id);
        const write = putDispute(memberId, dispute, storedDispute);
        if (storedDispute?.status === status) return { write };
        const changes = changesSince(created_at, storedDispute ? undefined : since, [
          {
            kind: "dispute",
            dispute: { id, charge_id, amount_cents, status },
            former_status: storedDispute?.status ?? null,
            closed_as: (storedDispute && lastClosedAs(storedDispute)) ?? null,
          },
        ]);
        return { write, changes };
      }),
  ];
}

/**
 * The changes of an invoice: its new failed payment attempts, oldest first, then its payment. An invoice of 0 has no
 * payment.
 */
function paymentChanges(
  storedPayment: Payment | undefined,
  payment: Payment,
  tier_id: number | null,
): Extract<FactChange, { kind: "payment" }>[] {
  const invoice_id = payment.id;
  const common = { ...pick(payment, ["currency", "period_start", "period_end"]), tier_id };
  const hadFailed = new Set(storedPayment?.charges.filter(isFailed).map(({ id }) => id));
  const attempts = payment.charges
    .filter((charge) => isFailed(charge) && !hadFailed.has(charge.id))
    .map(({ id, amount_cents, created_at: at }) => ({ id, invoice_id, amount_cents, status: "failed" as const, at }));
  const paid = payment.charges.filter(({ paid_cents }) => paid_cents > 0);
  const amount_cents = collectedOf(payment);
  // Charges and invoices are read in parallel, so the stored copy of a paid invoice may lack its charge.
  const wasPaid = storedPayment?.status === "paid" && collectedOf(storedPayment) > 0;
  const isPaidNow = payment.status === "paid" && !wasPaid && amount_cents > 0;
  const { id = invoice_id, created_at = payment.created_at } = paid[0] ?? {};
  const success = { id, invoice_id, amount_cents, status: "succeeded" as const, at: payment.paid_at ?? created_at };
  return [...attempts.toSorted((a, b) => (a.at < b.at ? -1 : 1)), ...(isPaidNow ? [success] : [])].map((change) => ({
    kind: "payment",
    payment: { ...change, ...common },
  }));
}

const isFailed = ({ status }: Payment["charges"][number]): boolean => status === "failed";

/**
 * Returns the changes of a payment, refund or dispute that is not older than `since`. Older ones have no events, so the
 * result is empty.
 */
const changesSince = <T extends FactChange>(
  at: string,
  since: string | undefined,
  changes: readonly T[],
): readonly T[] => (since === undefined || at >= since ? changes : []);

/**
 * The time since which payments, refunds and disputes have events. Those from before an import, or from before Odis
 * stored payments, have none.
 *
 * @returns an ISO 8601 time; undefined if all have events
 */
export function announcedSince(
  before: StoredMember | undefined,
  { subscriptions }: Pick<Ledger, "subscriptions">,
): string | undefined {
  if (!before) return undefined;
  if (before.sync_version === 0) return before.imported?.at ?? before.updated_at;
  return subscriptions.length === 0 ? before.updated_at : undefined;
}
