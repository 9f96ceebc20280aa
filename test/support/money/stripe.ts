import Stripe from "stripe";
import type { LoggedRequest } from "stripe-stand-in";

/** A stand-in for Stripe on this machine, in this process or another. */
export type StandIn = { readonly url: string; close(): Promise<void> };

const json = (body: object): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

/** A client of a stand-in for Stripe, and actions of people and the clock there. */
export function stripeAt({ url }: StandIn) {
  const { hostname: host, port } = new URL(url);
  const options = { host, port, protocol: "http", telemetry: false, maxNetworkRetries: 0 } as const;
  const stripe = new Stripe("sk_test_local", options);

  return {
    stripe,

    /** A client whose connections are refused. */
    unreachableStripe: () => new Stripe("sk_test_local", { ...options, port: 1 }),

    /** Uses the stand-in's dashboard, clock or faults. A request that it refuses has no effect. */
    async control(path: string, body: object): Promise<void> {
      const response = await fetch(`${url}/_fake/${path}`, json(body));
      if (response.status >= 500) throw new Error(await response.text());
    },

    /** Completes Stripe's hosted page of a checkout session, as a person would. */
    complete: (page: unknown, form: object = {}): Promise<Response> => fetch(`${String(page)}/complete`, json(form)),

    /** Performs an action and returns the requests to Stripe during it. */
    async requestsDuring(act: () => Promise<{ status?: number | undefined }>) {
      await fetch(`${url}/_fake/requests`, { method: "DELETE" });
      const { status } = await act();
      const asked = (await (await fetch(`${url}/_fake/requests`)).json()) as LoggedRequest[];
      return { status, asked };
    },

    /** The newest hundred charges of a customer, with their refunds. */
    async chargesOf(customer: string | null): Promise<Stripe.Charge[]> {
      const query = { customer: existing(customer), limit: 100, expand: ["data.refunds"] };
      return (await stripe.charges.list(query)).data;
    },

    /** The subscriptions of a customer, including ended ones. */
    async subscriptionsOf(customer: string | null): Promise<Stripe.Subscription[]> {
      return (await stripe.subscriptions.list({ customer: existing(customer), status: "all" })).data;
    },
  };
}

/** Requires a customer, because Stripe would list all objects for an empty id. */
function existing(customer: string | null): string {
  if (!customer) throw new Error("The member has no customer at Stripe");
  return customer;
}

/** The amount paid and not refunded, in cents. */
export const keptOf = (charges: readonly Stripe.Charge[]): number =>
  charges.reduce((sum, { amount_captured, amount_refunded }) => sum + amount_captured - amount_refunded, 0);
