import type Stripe from "stripe";
import type { SubscriptionDetails } from "../domain/payment.ts";
import { Problem } from "../problem.ts";
import type { StoredMember } from "../store/members/item.ts";
import { paymentMethods } from "./change-state.ts";
import type { BillingContext } from "./context.ts";
import { monthlyCents } from "./monthly-amount.ts";
import { linkOf } from "./operations.ts";
import { isoOf, subscriptionFields } from "./snapshot.ts";
import { type Billing, problemOf, refusalOf } from "./stripe.ts";
import { repairMember } from "./sync.ts";

/**
 * Reads a member's subscription at Stripe. Synchronizes the member if the stored copy differs.
 *
 * @throws Problem `no_subscription`
 */
export async function detailsOf(context: BillingContext, member: StoredMember): Promise<SubscriptionDetails> {
  const { stripe_subscription_id: id } = member;
  if (!id) throw new Problem("no_subscription");
  const subscription = await readSubscription(context.billing, id);
  const part = subscriptionFields(subscription);
  const isInSync =
    Object.entries(part).every(([name, value]) => member[name as keyof typeof part] === value) &&
    monthlyCents(subscription, context.now) === member.monthly_cents;
  if (!isInSync) await repairMember(context, linkOf(member));
  const details = toDetails(subscription, part, isInSync);
  if (member.erased_at === undefined) return details;
  const latest_invoice = details.latest_invoice && { ...details.latest_invoice, hosted_invoice_url: null };
  return { ...details, latest_invoice, default_payment_method: null, cancellation_comment: null };
}

const expandedFields = [...paymentMethods, "latest_invoice", "discounts.source.coupon"];

/**
 * Reads a subscription with its payment method, latest invoice and coupons. Stripe refuses to expand the payment method of
 * a deleted customer.
 *
 * @throws Problem `no_subscription` if Stripe does not know the subscription, or its customer was deleted
 */
async function readSubscription(billing: Billing, id: string): Promise<Stripe.Subscription> {
  const retrieve = (expand: string[]) =>
    billing((stripe, options) => stripe.subscriptions.retrieve(id, { expand }, options));
  const subscription = await retrieve(expandedFields).catch(async (error: unknown) => {
    const problem = problemOf("details", error) ?? error;
    if (!refusalOf(error) || problem !== error) throw problem;
    const withCustomer = await retrieve(["customer"]);
    if (!isCustomerDeleted(withCustomer)) throw error;
    return withCustomer;
  });
  if (isCustomerDeleted(subscription)) throw new Problem("no_subscription");
  return subscription;
}

const isCustomerDeleted = ({ customer }: Stripe.Subscription): boolean =>
  typeof customer === "object" && customer.deleted === true;

/** The payment method of the next invoice: that of the subscription, or else the customer's default. */
function paymentMethodOf({ default_payment_method: own, customer }: Stripe.Subscription) {
  const settings = typeof customer === "object" && !customer.deleted ? customer.invoice_settings : undefined;
  const method = own ?? settings?.default_payment_method;
  return typeof method === "object" ? method : null;
}

function toDetails(
  subscription: Stripe.Subscription,
  { stripe_subscription_id: id, ...part }: ReturnType<typeof subscriptionFields>,
  in_sync: boolean,
): SubscriptionDetails {
  const { latest_invoice: invoice, items, status, collection_method, cancellation_details } = subscription;
  const method = paymentMethodOf(subscription);
  const price = items.data[0]?.price;
  if (!price) throw new Error(`Subscription ${id} has no price`);
  return {
    ...part,
    id,
    status,
    collection_method,
    price: {
      id: price.id,
      unit_amount_cents: price.unit_amount,
      currency: price.currency,
      interval: price.recurring?.interval ?? null,
    },
    default_payment_method: method && {
      type: method.type,
      brand: method.card?.brand ?? null,
      last4: method.card?.last4 ?? null,
      exp_month: method.card?.exp_month ?? null,
      exp_year: method.card?.exp_year ?? null,
    },
    latest_invoice:
      invoice && typeof invoice === "object"
        ? {
            id: invoice.id,
            status: invoice.status,
            amount_due_cents: invoice.amount_due,
            hosted_invoice_url: invoice.hosted_invoice_url ?? null,
            attempts_made: invoice.attempt_count,
            next_attempt_at: invoice.next_payment_attempt === null ? null : isoOf(invoice.next_payment_attempt),
          }
        : null,
    cancellation_feedback: cancellation_details?.feedback ?? null,
    cancellation_comment: cancellation_details?.comment ?? null,
    in_sync,
  };
}
