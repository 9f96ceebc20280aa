import Stripe from "stripe";
import { logError, measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { isHandled } from "../store/handled-events.ts";
import { findLink } from "../store/members/sync.ts";
import type { BillingContext } from "./context.ts";
import type { FormerSubject } from "./deleted-customer.ts";
import { syncForEvent } from "./event-sync.ts";
import { syncFormerCustomer } from "./former-customer.ts";
import { restoreLink } from "./lost-link.ts";

/** The event types that can change a member or their payments. Events of other types are ignored. */
export const eventTypes = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
  // Only the phases of a schedule change. A subscription that gets or loses its schedule has an event of its own.
  "subscription_schedule.updated",
  "invoice.paid",
  "invoice.payment_failed",
  "refund.created",
  "refund.updated",
  "refund.failed",
  "charge.dispute.created",
  "charge.dispute.updated",
  "charge.dispute.closed",
  "customer.updated",
  "customer.deleted",
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/**
 * Verifies the signature of an event with each of the secrets and parses the event.
 *
 * @throws Problem `invalid_signature` if the signature is missing, wrong or older than five minutes
 */
export function verifyEvent(body: string, signature: string | undefined, secrets: readonly string[]): Stripe.Event {
  let cause: unknown;
  for (const secret of secrets)
    try {
      return Stripe.webhooks.constructEvent(body, signature ?? "", secret);
    } catch (error) {
      cause = error;
    }
  throw new Problem("invalid_signature", { cause });
}

type EventOptions = {
  /** The mode of the Stripe key. Events of the other mode are ignored. */
  readonly livemode: boolean;
  /** Called before Stripe is called for the customer's data. */
  readonly beforeAsking?: () => Promise<void>;
};

/**
 * Handles an event: synchronizes its customer, unless another synchronization covers the event. Only the customer is read
 * from the payload, so the order and the repetition of events do not matter. Ignores events of the other mode, of other
 * types and of unknown customers.
 */
export async function handleEvent(
  context: BillingContext,
  event: Stripe.Event,
  { livemode, beforeAsking = async () => {} }: EventOptions,
): Promise<void> {
  measure("webhook_age_ms", Math.max(0, context.now.getTime() - event.created * 1000));
  if (event.livemode !== livemode || !eventTypes.some((type) => type === event.type)) return;
  const { customer, former } = await subjectOf(context, event);
  const link = customer === undefined ? undefined : await linkOf(context, customer, beforeAsking);
  if (!link || (await isHandled(context.table, event.id))) return;
  if (!link.is_former) return syncForEvent(context, link, event, beforeAsking);
  if (!former) return;
  await beforeAsking();
  await syncFormerCustomer(context, link, { id: event.id, former });
}

async function linkOf(context: BillingContext, customer: string, beforeAsking: () => Promise<void>) {
  const link = await findLink(context.table, customer);
  if (link || context.table.runtime.epoch === 0) return link;
  await beforeAsking();
  return restoreLink(context, customer);
}

type EventSubject = {
  /** The id of the customer. */
  readonly customer?: string | undefined;
  /** The charge or invoice of the event. It is read as well if the customer was deleted and replaced. */
  readonly former?: FormerSubject | undefined;
};

/** Returns the customer of an event, and its charge or invoice. */
async function subjectOf({ billing }: BillingContext, { type, data }: Stripe.Event): Promise<EventSubject> {
  const object = data.object as { id?: string; object?: string; customer?: Reference; charge?: Reference };
  if (object.object === "customer") return { customer: object.id };
  const customer = idOf(object.customer);
  if (object.object === "invoice") return { customer, former: object.id ? { invoice: object.id } : undefined };
  const charge = idOf(object.charge);
  if (charge === undefined) return { customer };
  if (customer !== undefined) return { customer, former: { charge } };
  // A dispute, or a refund of an older API version, names only its charge.
  if (!/^(ch|py)_\w+$/.test(charge)) {
    logError(new Error("An event names something that is not a charge"), { type });
    return {};
  }
  const retrieved = await billing((stripe, options) => stripe.charges.retrieve(charge, {}, options));
  return { customer: idOf(retrieved.customer), former: { charge } };
}

type Reference = string | { id: string } | null | undefined;

const idOf = (reference: Reference): string | undefined =>
  typeof reference === "string" ? reference : (reference?.id ?? undefined);
