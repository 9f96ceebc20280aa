import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { pay } from "./collection.ts";
import * as customers from "./customers.ts";
import { type Html, html } from "./html.ts";
import { newest } from "./lists.ts";
import { find } from "./lookup.ts";
import { money } from "./money.ts";
import { idOf } from "./objects/common.ts";

/** Pays an invoice on its page with a new card, which future invoices are not charged to. */
export function payInvoice(account: Account, id: string, { isDeclined }: { readonly isDeclined: boolean }): void {
  const customer = idOf(find(account, "invoice", id).customer) ?? "";
  const name = isDeclined ? "pm_card_chargeCustomerFail" : "pm_card_visa";
  pay(account, id, { payment_method: customers.attach(account, name, customer).id });
}

/** The lines of an invoice, as its page and its PDF show them. */
export const linesOf = (invoice: Stripe.Invoice): string[] => [
  ...invoice.lines.data.map(({ description, amount, currency }) => `${description}: ${money(amount, currency)}`),
  `Total: ${money(invoice.total, invoice.currency)}`,
  `${dateOf(invoice.created)}, ${invoice.status}`,
];

export const invoicePage = (invoice: Stripe.Invoice): Html => html`
${linesOf(invoice).map((line) => html`<p>${line}</p>`)}
${invoice.status === "open" ? paymentForm(invoice) : html``}
<p><a href="${invoice.invoice_pdf}">PDF</a></p>`;

const paymentForm = ({ id, amount_remaining: left, currency }: Stripe.Invoice): Html => html`
<form method="post" action="/_fake/invoice/${id}">
<button class="main" name="card" value="paid">Pay ${money(left, currency)}</button>
<button name="card" value="declined">Pay with a card that is declined</button>
</form>`;

/** The invoices of a customer, newest first, as links to their pages. Drafts have no page. */
export function invoiceList(account: Account, customer: string): Html {
  const invoices = newest(account, "invoice", (row) => row.customer === customer && row.hosted_invoice_url !== null);
  if (invoices.length === 0) return html`<p>There are none.</p>`;
  return html`<ul>${invoices.map(
    ({ hosted_invoice_url: url, created, total, currency, status }) =>
      html`<li><a href="${url}">${dateOf(created)}, ${money(total, currency)}</a>, ${status}</li>`,
  )}</ul>`;
}

export const dateOf = (moment: number): string => new Date(moment * 1000).toISOString().slice(0, 10);
