import type Stripe from "stripe";
import { type Words, words } from "./objects/common.ts";
import type { TestCard } from "./objects/customer.ts";
import type { RefundStatus } from "./objects/refund.ts";

/** An event as it is stored and sent. Its `data.object` is the object at the time of the event. */
export type FakeEvent = Omit<Stripe.EventBase, "request"> & { readonly request: Stripe.Event.Request };

/**
 * A scheduled task. `at` is in seconds since 1970. The task has no effect if its object has changed in the meantime.
 */
export type Task = { readonly id: string; readonly at: number } & (
  | {
      readonly do: "renew" | "cancel" | "expire" | "announce_trial_end" | "expire_update";
      readonly subscription: string;
    }
  | { readonly do: "retry"; readonly invoice: string }
  | { readonly do: "start_phase" | "release"; readonly schedule: string }
  | { readonly do: "expire_session"; readonly session: string }
  | { readonly do: "settle_charge"; readonly charge: string; readonly status: "succeeded" | "failed" }
  | { readonly do: "settle"; readonly refund: string; readonly status: RefundStatus }
  | { readonly do: "dispute"; readonly charge: string; readonly status: "needs_response" | "warning_needs_response" }
);

/** An undelivered event for an endpoint. Removed once it has been delivered. */
export type Delivery = {
  readonly id: string;
  readonly event: string;
  readonly endpoint: string;
  readonly outcome: "waiting" | "given_up" | "dropped";
};

/** The stored response of an idempotency key, which is the id. */
export type Replay = {
  readonly id: string;
  readonly path: string;
  readonly fingerprint: string;
  readonly status: number;
  readonly body: string;
  readonly expires: number;
};

/** The order of a checkout session. */
export type Order = {
  readonly id: string;
  readonly price: string;
  readonly quantity: number;
  readonly trialDays: number | null;
  readonly description: string | null;
  readonly metadata: Stripe.Metadata;
  readonly savesShipping: boolean;
  readonly savesName: boolean;
  /** The incomplete subscription of a declined attempt, which the next attempt pays for. */
  readonly subscription: string | null;
};

/** A change of a subscription, whose id it has, that waits for the payment of its invoice. */
export type PendingChange = {
  readonly id: string;
  readonly invoice: string;
  readonly items: readonly Stripe.SubscriptionItem[];
  /** The new billing date, or null if it stays. */
  readonly anchor: number | null;
  readonly discounts: readonly string[];
  readonly metadata: Stripe.Metadata | null;
  readonly cancelsAtPeriodEnd: boolean | null;
  /** The prorations of earlier changes that are on the invoice. */
  readonly swept: readonly string[];
};

/** All objects by kind: first those of the API, then those of the stand-in itself. */
export type Tables = {
  customer: Stripe.Customer | Stripe.DeletedCustomer;
  payment_method: Stripe.PaymentMethod;
  product: Stripe.Product;
  price: Stripe.Price;
  subscription: Stripe.Subscription;
  subscription_schedule: Stripe.SubscriptionSchedule;
  invoice: Stripe.Invoice;
  invoice_payment: Stripe.InvoicePayment;
  invoiceitem: Stripe.InvoiceItem;
  customer_balance_transaction: Stripe.CustomerBalanceTransaction;
  payment_intent: Stripe.PaymentIntent;
  charge: Stripe.Charge;
  refund: Stripe.Refund;
  dispute: Stripe.Dispute;
  coupon: Stripe.Coupon;
  discount: Stripe.Discount;
  "checkout.session": Stripe.Checkout.Session;
  "billing_portal.session": Stripe.BillingPortal.Session;
  "billing_portal.configuration": Stripe.BillingPortal.Configuration;
  payment_method_configuration: Stripe.PaymentMethodConfiguration;
  webhook_endpoint: Stripe.WebhookEndpoint;
  event: FakeEvent;

  card: { readonly id: string; readonly behaviour: TestCard };
  /** A restricted key, whose id is the key itself. */
  restricted_key: { readonly id: string; readonly permissions: readonly string[] };
  /** A key that was rolled, whose id is the key itself. `expires_at` is in seconds since 1970. */
  rolled_key: { readonly id: string; readonly expires_at: number };
  order: Order;
  pending_change: PendingChange;
  task: Task;
  delivery: Delivery;
  replay: Replay;
  clock: { readonly id: "clock"; readonly offset: number };
};

export type Kind = keyof Tables;

/** The new value of an object, or null if it was removed. */
export type Change = { readonly kind: Kind; readonly id: string; readonly object: Tables[Kind] | null };

/** Objects are immutable. A change replaces an object, so that events keep the old one. */
export type State = { readonly [K in Kind]: Map<string, Tables[K]> };

const empty = <S extends string>(kinds: S) =>
  Object.fromEntries(words(kinds).map((kind) => [kind, new Map()])) as Record<Words<S>, Map<string, never>>;

export const emptyState = (): State => ({
  ...empty("customer payment_method product price subscription invoice invoice_payment payment_intent charge refund"),
  ...empty("dispute coupon discount checkout.session billing_portal.session billing_portal.configuration"),
  ...empty(
    "invoiceitem customer_balance_transaction subscription_schedule payment_method_configuration webhook_endpoint event card restricted_key rolled_key order pending_change task delivery replay clock",
  ),
});
