import type Stripe from "stripe";
import { expect, it } from "vitest";
import { periodOf, tierOfInvoice } from "#lib/billing/invoice-line.ts";

type Line = {
  readonly amount?: number;
  readonly proration?: boolean;
  readonly price?: string;
  readonly product?: string;
  readonly period?: { readonly start: number; readonly end: number };
};

const invoice = (...lines: readonly Line[]) =>
  ({
    id: "in_1",
    period_start: 100,
    period_end: 100,
    lines: {
      data: lines.map(({ amount = 900, proration = false, price = "price_1", product = "prod_1", period }) => ({
        amount,
        period: period ?? { start: 200, end: 300 },
        parent: { subscription_item_details: { proration } },
        pricing: { price_details: { price, product } },
      })),
    },
  }) as unknown as Stripe.Invoice;

const subscription = (price: { readonly id: string; readonly metadata: object }) =>
  ({ items: { data: [{ price }] } }) as unknown as Stripe.Subscription;

const tiers = [
  { id: 11, name: "Barrel", stripe_price_id: "price_month", yearly_stripe_price_id: "price_year" },
  { id: 12, name: "Cellar", stripe_price_id: "price_12", yearly_stripe_price_id: null },
];

const tierOf = (line: Line, price = { id: "price_other", metadata: {} }) =>
  tierOfInvoice({ invoices: [invoice(line)], subscriptions: [subscription(price)] }, tiers)("in_1");

it("the period of an invoice is that of the line of a full period, not that of a credit or of the invoice", () => {
  const credit = { amount: -400, proration: true, period: { start: 150, end: 250 } };
  expect(periodOf(invoice(credit, {}))).toEqual({
    period_start: new Date(200_000).toISOString(),
    period_end: new Date(300_000).toISOString(),
  });
});

it("the period of an invoice for the difference after a change is the rest of the period", () => {
  const [credit, debit] = [-400, 900].map((amount) => ({ amount, proration: true, period: { start: 250, end: 300 } }));
  expect(periodOf(invoice(credit ?? {}, debit ?? {})).period_start).toBe(new Date(250_000).toISOString());
});

it("the period of an invoice without a line is that of the invoice", () => {
  expect(periodOf(invoice()).period_end).toBe(new Date(100_000).toISOString());
});

it.each([
  ["a current monthly price of a tier", { price: "price_month" }, 11],
  ["a current yearly price of a tier", { price: "price_year" }, 11],
  ["a former price of a tier", { price: "price_old", product: "odis_tier_12" }, 12],
  ["a foreign price", { price: "price_foreign" }, null],
])("the tier of an invoice for %s is found by its line", (_, line, expected) => {
  expect(tierOf(line)).toBe(expected);
});

it("the tier of an invoice is the one that the metadata of its price names", () => {
  expect(tierOf({ price: "price_own" }, { id: "price_own", metadata: { tier_id: "12" } })).toBe(12);
});

it("the tier of an unknown invoice is null", () => {
  expect(tierOfInvoice({ invoices: [], subscriptions: [] }, tiers)("in_2")).toBeNull();
});

it("the tier of an invoice of a former customer is found like that of the present one", () => {
  const formerInvoices = [{ ...invoice({ price: "price_12" }), id: "in_former" }];
  expect(tierOfInvoice({ invoices: [invoice({})], formerInvoices, subscriptions: [] }, tiers)("in_former")).toBe(12);
});
