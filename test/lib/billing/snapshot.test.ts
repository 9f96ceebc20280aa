import { expect, it } from "vitest";
import { fetchInvoice, fetchInvoices } from "#lib/billing/snapshot.ts";
import type { Billing } from "#lib/billing/stripe.ts";

const paymentsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `inpay_${n}` }));

// Stripe includes the first ten payments of an invoice, and lists all of them: https://docs.stripe.com/api/invoice-payment
const stripe = (count: number) => {
  const payments = { data: paymentsOf(count).slice(0, 10), has_more: count > 10 };
  const listOf = (data: readonly object[]) => ({ autoPagingToArray: async () => data });
  return {
    invoices: { retrieve: async () => ({ id: "in_1", payments }), list: () => listOf([{ id: "in_1", payments }]) },
    invoicePayments: { list: () => listOf(paymentsOf(count)) },
  };
};

it.each([0, 10, 11, 200])("an invoice is read with all of its %i payments, by its id and in a list", async (count) => {
  const billing: Billing = async (call) => call(stripe(count) as never, {});
  const invoices = [await fetchInvoice(billing, "in_1"), ...(await fetchInvoices(billing, { customer: "cus_1" }))];
  expect(invoices.map((invoice) => invoice?.payments?.data.length)).toEqual([count, count]);
});
