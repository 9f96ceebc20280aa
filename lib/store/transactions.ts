import * as v from "valibot";
import { canonicalJson } from "../canonical-json.ts";
import { type Transaction, type TransactionQuery, type TransactionType, typesOf } from "../domain/transaction.ts";
import { type Stored, storedEntries } from "../fields/field.ts";
import { transactionFields } from "../fields/transaction.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import type { Item } from "./expression.ts";
import { collectedOf, type Payment, type StoredDispute, type StoredRefund } from "./facts.ts";
import { type Key, keys } from "./keys.ts";
import { namesOf } from "./record-names.ts";
import type { Reader, Write } from "./table.ts";

export const StoredTransaction = v.object(storedEntries(transactionFields));
type StoredTransaction = Stored<typeof transactionFields>;

/** The payments, refunds and disputes of a member. */
type Facts = {
  readonly payments: readonly Payment[];
  readonly refunds: readonly Pick<
    StoredRefund,
    "refund_id" | "charge_id" | "amount_cents" | "status" | "reason" | "issued_at"
  >[];
  readonly disputes: readonly StoredDispute[];
};

type MemberIds = { readonly id: number; readonly community_id: number };

/** Position in the list of a type: the time, then the id. */
const positionOf = ({ at, id }: Pick<StoredTransaction, "at" | "id">): string => `${at}#${id}`;

/**
 * The transactions of a member. Each paid invoice is a payment, on the day on which the series of figures counts it.
 * Invoices of which nothing was collected are none.
 */
function transactionsOf(memberId: number, { payments, refunds, disputes }: Facts): StoredTransaction[] {
  const byCharge = new Map(
    payments.flatMap((payment) => payment.charges.map((charge) => [charge.id, { payment, charge }] as const)),
  );
  const common = (charge_id: string | null, payment = byCharge.get(charge_id ?? "")?.payment) => ({
    member_id: memberId,
    charge_id,
    invoice_id: payment?.id ?? null,
    period_start: payment?.period_start ?? null,
    period_end: payment?.period_end ?? null,
    receipt_url: byCharge.get(charge_id ?? "")?.charge.receipt_url ?? null,
    reason: null,
    evidence_due_at: null,
  });
  return [
    ...payments.flatMap((payment): StoredTransaction[] => {
      const amount_cents = collectedOf(payment);
      if (amount_cents === 0) return [];
      const charge = payment.charges.find(({ paid_cents }) => paid_cents > 0);
      const at = payment.paid_at ?? charge?.created_at ?? payment.created_at;
      const { id } = payment;
      return [{ ...common(charge?.id ?? null, payment), id, type: "payment", status: "succeeded", at, amount_cents }];
    }),
    ...refunds.map(
      ({ refund_id: id, charge_id, amount_cents, status, reason, issued_at: at }): StoredTransaction => ({
        ...common(charge_id),
        id,
        type: "refund",
        status,
        at,
        amount_cents,
        reason,
      }),
    ),
    ...disputes.map(
      ({ dispute_id: id, charge_id, amount_cents, status, created_at: at, ...dispute }): StoredTransaction => ({
        ...common(charge_id),
        id,
        type: "dispute",
        status,
        at,
        amount_cents,
        reason: dispute.reason ?? null,
        evidence_due_at: dispute.evidence_due_at ?? null,
      }),
    ),
  ];
}

/** The items of a member's transactions by their sort key. Facts that are stored have no links, so neither have their items. */
const itemsOf = ({ id, community_id }: MemberIds, facts: Facts): Map<string, Key & StoredTransaction> =>
  new Map(
    transactionsOf(id, facts).map((transaction) => {
      const key = keys.transaction(community_id, transaction.type, positionOf(transaction));
      return [key.sk, { ...key, ...transaction }];
    }),
  );

/** An item in a form that is equal if the transaction is. Stripe's link is left out, because each reading may have another. */
const stateOf = (item: Item | undefined): string => canonicalJson({ ...item, receipt_url: null });

/**
 * The writes that follow in a community's list from changed payments, refunds and disputes of a member. They have no
 * conditions of their own: the transaction is conditional on the member, whose every change of a fact increases its version.
 */
export function transactionWrites(member: MemberIds, before: Facts, after: Facts): Write[] {
  const [stored, current] = [itemsOf(member, before), itemsOf(member, after)];
  const put = [...current].filter(([sk, item]) => stateOf(item) !== stateOf(stored.get(sk)));
  const moved = [...stored].filter(([sk]) => !current.has(sk));
  return [...put.map(([, item]) => ({ put: item })), ...moved.map(([, { pk, sk }]) => ({ delete: { pk, sk } }))];
}

/** The writes of a member's transactions that the list lacks, or has in an earlier state. */
export async function missingTransactions(table: Reader, member: MemberIds, facts: Facts): Promise<Write[]> {
  const listed = new Map((await listedTransactions(table, member, facts)).map((item) => [item.sk, stateOf(item)]));
  return [...itemsOf(member, facts)].flatMap(([sk, put]) => (listed.get(sk) === stateOf(put) ? [] : [{ put }]));
}

/** The items of a member's transactions as they are listed. */
export const listedTransactions = (table: Reader, member: MemberIds, facts: Facts): Promise<Item[]> =>
  table.getAll([...itemsOf(member, facts).values()].map(({ pk, sk }) => ({ pk, sk })));

/** Number of rows that a request with a filter by status reads of each type. */
const filteredRows = 500;

/**
 * A page of a community's transactions, newest first. The lists of the types are merged by time and id.
 *
 * @throws Problem `invalid_cursor`
 */
export async function list(table: Reader, communityId: number, query: TransactionQuery) {
  const { type, status, from = "", to = "", per, cursor } = query;
  const scope = ["transactions", communityId, type ?? null, status ?? null, from, to];
  const after = decodeCursor(scope, cursor);
  const read = async (one: TransactionType) => {
    const keyAt = (position: string) => keys.transaction(communityId, one, position);
    const { items, last } = await table.query({
      pk: keyAt("").pk,
      from: keyAt(from).sk,
      // Sorts after all times of the day.
      to: keyAt(`${to}~`).sk,
      after: after === undefined ? undefined : keyAt(after),
      descending: true,
      limit: status === undefined ? per + 1 : filteredRows,
      filter: status === undefined ? undefined : { status },
    });
    return { items: items.map((item) => v.parse(StoredTransaction, item)), last: last?.sk.slice(keyAt("").sk.length) };
  };
  const pages = await Promise.all(typesOf(query).map(read));
  // Where a list ends early, the others may continue with transactions that come later than its next ones.
  const [end] = pages
    .flatMap(({ last }) => last ?? [])
    .toSorted()
    .toReversed();
  const rows = pages
    .flatMap(({ items }) => items.map((row) => ({ row, position: positionOf(row) })))
    .filter(({ position }) => end === undefined || position >= end)
    .toSorted((a, b) => (a.position < b.position ? 1 : -1));
  const shown = rows.slice(0, per);
  const next = shown.length < rows.length ? shown.at(-1)?.position : end;
  return {
    has_more: next !== undefined,
    next_cursor: next === undefined ? null : encodeCursor(scope, next),
    data: await withNames(
      table,
      communityId,
      shown.map(({ row }) => row),
    ),
  };
}

/** The transactions as the API shows them, with the current names of the members. Null for erased people. */
async function withNames(table: Reader, communityId: number, rows: readonly StoredTransaction[]) {
  const keyOf = ({ member_id }: StoredTransaction) => keys.member(communityId, member_id);
  const nameOf = await namesOf(table, rows.map(keyOf));
  const expired = new Date(table.runtime.now().getTime() - receiptMs).toISOString();
  return rows.map((row) => {
    const name = nameOf(keyOf(row));
    return toResponse(row.at < expired || name === null ? { ...row, receipt_url: null } : row, name);
  });
}

/** How long Stripe's link to a receipt can be opened without the email address: https://docs.stripe.com/receipts */
const receiptMs = 30 * 24 * 60 * 60_000;

const dashboard = "https://dashboard.stripe.com";

function toResponse({ member_id, ...row }: StoredTransaction, name: string | null): Transaction {
  const { id, type, at, charge_id, invoice_id } = row;
  const invoice_url = invoice_id && `${dashboard}/invoices/${invoice_id}`;
  // The charge of an imported refund may be one of another system.
  const isAtStripe = charge_id !== null && /^(?:ch|py)_/.test(charge_id);
  const payment_url = isAtStripe ? `${dashboard}/payments/${charge_id}` : invoice_url;
  return {
    ...row,
    day: at.slice(0, 10),
    member: { id: member_id, name },
    refund_id: type === "refund" ? id : null,
    dispute_id: type === "dispute" ? id : null,
    stripe_url: type === "dispute" ? `${dashboard}/disputes/${id}` : (payment_url ?? dashboard),
    invoice_url,
  };
}
