import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import * as customers from "./customers.ts";
import * as events from "./events.ts";
import { invalid } from "./failure.ts";
import { page, paging } from "./lists.ts";
import { settlement } from "./minimum-charge.ts";
import { nulls } from "./objects/common.ts";
import { currencyCode, integer, merged, metadata, text } from "./parameters.ts";

export const Adjustment = v.strictObject({
  amount: integer(),
  currency: currencyCode,
  description: v.optional(text),
  metadata: v.optional(metadata),
});
export const TransactionList = v.strictObject(paging);

type Entry = {
  readonly amount: number;
  readonly currency: string;
  readonly type: Stripe.CustomerBalanceTransaction.Type;
  readonly invoice?: string;
  readonly description?: string;
  readonly metadata?: Stripe.Metadata;
};

/** Changes the balance of a customer, and records the change. A negative amount is a credit. */
function enter(account: Account, customer: Stripe.Customer, entry: Entry): Stripe.CustomerBalanceTransaction {
  const balance = customer.balance + entry.amount;
  const transaction: Stripe.CustomerBalanceTransaction = {
    id: account.newId("cbtxn"),
    object: "customer_balance_transaction",
    amount: entry.amount,
    created: account.now(),
    currency: entry.currency,
    customer: customer.id,
    description: entry.description ?? null,
    ending_balance: balance,
    invoice: entry.invoice ?? null,
    livemode: false,
    metadata: entry.metadata ?? {},
    type: entry.type,
    ...nulls("checkout_session credit_note customer_account"),
  };
  account.put("customer_balance_transaction", transaction);
  events.replace(account, "customer", { ...customer, balance }, "customer.updated");
  return transaction;
}

/** Applies the balance of a customer to an invoice that is finalized. */
export function apply(account: Account, customer: Stripe.Customer, invoice: Stripe.Invoice): Stripe.Invoice {
  const { balance } = customer;
  const { due, ending } = settlement(balance, invoice.total);
  const amount = ending - balance;
  const type = invoice.total < 0 || ending > 0 ? "invoice_too_small" : "applied_to_invoice";
  if (amount !== 0) enter(account, customer, { amount, currency: invoice.currency, type, invoice: invoice.id });
  return { ...invoice, amount_due: due, amount_remaining: due, starting_balance: balance, ending_balance: ending };
}

/** Gives back the balance that an invoice has used up, when the invoice is voided. */
export function unapply(account: Account, { id, customer, currency, ...invoice }: Stripe.Invoice): void {
  const amount = invoice.starting_balance - (invoice.ending_balance ?? invoice.starting_balance);
  if (amount === 0 || customers.isDeleted(account, { customer })) return;
  const owner = customers.ownerOf(account, { customer });
  enter(account, owner, { amount, currency, type: "unapplied_from_invoice", invoice: id });
}

/** `POST /v1/customers/:id/balance_transactions` */
export function adjust(
  account: Account,
  id: string,
  { amount, currency, description, metadata: labels }: v.InferOutput<typeof Adjustment>,
) {
  const customer = customers.find(account, id);
  if (customer.currency != null && customer.currency !== currency)
    throw invalid(`The currency of the customer is ${customer.currency}.`, { param: "currency" });
  return enter(account, customer, {
    amount,
    currency,
    type: "adjustment",
    ...(description && { description }),
    metadata: merged(null, labels),
  });
}

/** `GET /v1/customers/:id/balance_transactions` */
export function list(account: Account, id: string, params: v.InferOutput<typeof TransactionList>) {
  customers.find(account, id);
  return page(account, {
    kind: "customer_balance_transaction",
    url: `/v1/customers/${id}/balance_transactions`,
    params,
    keep: ({ customer }) => customer === id,
  });
}
