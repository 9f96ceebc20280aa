import Stripe from "stripe";
import type { StripeStandIn } from "stripe-stand-in";
import { fetchFrom } from "stripe-stand-in/fetch";
import { type Billing, billingOf } from "#lib/billing/stripe.ts";

/** Calls the stand-in for Stripe in this process without sockets, because a year has thousands of calls. */
export function stripeIn(answer: StripeStandIn["answer"]): Billing {
  const httpClient = Stripe.createFetchHttpClient(fetchFrom(answer));
  const client = new Stripe("sk_test_demo", { httpClient, telemetry: false });
  return billingOf(async () => client)(() => 30_000);
}
