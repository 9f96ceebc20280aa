import type Stripe from "stripe";
import type { Account } from "./account.ts";
import { rateLimited } from "./failure.ts";
import * as invoices from "./invoices.ts";

/** New invoices of a subscription, by seconds. @see https://docs.stripe.com/rate-limits */
const invoiceLimits = [
  { seconds: 60, limit: 10 },
  { seconds: 86_400, limit: 20 },
] as const;

/** @throws ApiFailure 429 if a call would make more invoices of a subscription than Stripe allows */
export function assertInvoiceAllowed(account: Account, { id }: Stripe.Subscription): void {
  if (account.faults.invoice_limits === "off") return;
  const made = [...account.rows("invoice")].filter((invoice) => invoices.subscriptionOf(invoice) === id);
  for (const { seconds, limit } of invoiceLimits)
    if (made.filter(({ created }) => created > account.now() - seconds).length >= limit)
      throw rateLimited("resource-specific");
}

/** Counts the calls to each endpoint, by second. */
export function createEndpointLimits(account: Account): (endpoint: string) => void {
  const calls = new Map<string, { readonly second: number; readonly count: number }>();
  return (endpoint) => {
    const { endpoint_limit: limit } = account.faults;
    if (limit === 0) return;
    const second = account.now();
    const before = calls.get(endpoint);
    const count = before?.second === second ? before.count : 0;
    if (count >= limit) throw rateLimited("endpoint-rate");
    calls.set(endpoint, { second, count: count + 1 });
  };
}
