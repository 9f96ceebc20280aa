import type Stripe from "stripe";
import type { TestCard } from "./objects/customer.ts";
import type { RefundStatus } from "./objects/refund.ts";

/** An event as it is stored and sent; its `data.object` is what the object was at that moment. */
export type FakeEvent = Omit<Stripe.EventBase, "request"> & { readonly request: Stripe.Event.Request };

/** Something that will happen when its time has come, unless what it is about has changed by then. */
export type Task = { readonly id: string; readonly at: number } & (
  | { readonly do: "renew" | "cancel" | "expire" | "announce_trial_end"; readonly subscription: string }
  | { readonly do: "retry"; readonly invoice: string }
  | { readonly do: "expire_session"; readonly session: string }
  | { readonly do: "settle"; readonly refund: string; readonly status: RefundStatus }
  | { readonly do: "dispute"; readonly charge: string; readonly status: "needs_response" | "warning_needs_response" }
);

/** An event on its way to an endpoint; gone once it has arrived. */
export type Delivery = {
  readonly id: string;
  readonly event: string;
  readonly endpoint: string;
  readonly outcome: "waiting" | "given_up" | "dropped";
};

/** The answer that was given to an idempotency key, which is its id. */
export type Replay = {
  readonly id: string;
  readonly path: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  readonly expires: number;
};

/** What a checkout session will make once it is completed. */
export type Order = {
  readonly id: string;
  readonly price: string;
  readonly quantity: number;
  readonly trialDays: number | null;
  readonly description: string | null;
  readonly metadata: Stripe.Metadata;
  readonly savesShipping: boolean;
  readonly savesName: boolean;
  /** Made by an attempt that was declined: the next one pays for it. */
  readonly subscription: string | null;
};

/** Everything there is, by kind: first what the API shows, then what only this stand-in knows. */
export type Tables = {
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  payment_method: Stripe.PaymentMethod;
  product: Stripe.Product;
  price: Stripe.Price;
  subscription: Stripe.Subscription;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  "checkout.session": Stripe.Checkout.Session;
  "billing_portal.session": Stripe.BillingPortal.Session;
  webhook_endpoint: Stripe.WebhookEndpoint;
  event: FakeEvent;

  card: { readonly id: string; readonly behaviour: TestCard };
  order: Order;
  task: Task;
  delivery: Delivery;
  replay: Replay;
  clock: { readonly id: "clock"; readonly offset: number };
};

export type Kind = keyof Tables;

/** An object as it is now, or null where it is gone. */
export type Change = { readonly kind: Kind; readonly id: string; readonly object: Tables[Kind] | null };

/** Objects are replaced, never changed: whoever holds one, an event say, holds what it was. */
export type State = { readonly [K in Kind]: Map<string, Tables[K]> };

export const emptyState = (): State => ({
  customer: new Map(),
  payment_method: new Map(),
  product: new Map(),
  price: new Map(),
  subscription: new Map(),
  invoice: new Map(),
  invoice_payment: new Map(),
  payment_intent: new Map(),
  charge: new Map(),
  refund: new Map(),
  dispute: new Map(),
  "checkout.session": new Map(),
  "billing_portal.session": new Map(),
  webhook_endpoint: new Map(),
  event: new Map(),
  card: new Map(),
  order: new Map(),
  task: new Map(),
  delivery: new Map(),
  replay: new Map(),
  clock: new Map(),
});
