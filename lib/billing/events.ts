import Stripe from "stripe";
import { logError, measure } from "../log.ts";
import { Problem } from "../problem.ts";
import { findLink, isHandled } from "../store/members/sync.ts";
import type { BillingContext } from "./context.ts";
import { syncForEvent } from "./event-sync.ts";
import { syncFormerCharge } from "./former-charge.ts";

/** The events that can change a member or their money. No other events can. */
export const eventTypes = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "customer.subscription.created",
  "customer.subscription.updated",
  "customer.subscription.deleted",
  "customer.subscription.paused",
  "customer.subscription.resumed",
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
 * An event, once its signature is checked: it may be of either secret.
 *
 * @throws Problem `invalid_signature` where it is missing, wrong or older than five minutes
 */
export function verifiedEvent(body: string, signature: string | undefined, secrets: readonly string[]): Stripe.Event {
  let cause: unknown;
  for (const secret of secrets)
    try {
      return Stripe.webhooks.constructEvent(body, signature ?? "", secret);
    } catch (error) {
      cause = error;
    }
  throw new Problem("invalid_signature", { cause });
}

type Options = {
  /** The mode of our key. */
  readonly livemode: boolean;
  /** Called before Stripe is asked for what a customer has. */
  readonly beforeAsking?: () => Promise<void>;
};

/**
 * Does what an event makes necessary, which is always the same: the customer it is about is copied anew, unless that has
 * been done since. Its payload only says who that is, so that neither order nor repetition matter. Events of the other
 * mode, of other types and of customers who are none of ours are let go.
 */
export async function handleEvent(
  context: BillingContext,
  event: Stripe.Event,
  { livemode, beforeAsking = async () => {} }: Options,
): Promise<void> {
  measure("webhook_age_ms", Math.max(0, context.now.getTime() - event.created * 1000));
  if (event.livemode !== livemode || !eventTypes.some((type) => type === event.type)) return;
  const { customer, charge } = await subjectOf(context, event);
  const link = customer === undefined ? undefined : await findLink(context.table, customer);
  if (!link || (await isHandled(context.table, event.id))) return;
  if (!link.is_former) return syncForEvent(context, link, event, beforeAsking);
  if (charge === undefined) return;
  await beforeAsking();
  await syncFormerCharge(context, link, { id: event.id, formerCharge: charge });
}

/** Returns the customer of an event, and the charge if it has one. */
async function subjectOf(
  { billing }: BillingContext,
  { type, data }: Stripe.Event,
): Promise<{ readonly customer?: string | undefined; readonly charge?: string | undefined }> {
  const object = data.object as { id?: string; object?: string; customer?: Reference; charge?: Reference };
  if (object.object === "customer") return { customer: object.id };
  const customer = idOf(object.customer);
  const charge = idOf(object.charge);
  if (customer !== undefined || charge === undefined) return { customer, charge };
  // A dispute, or a refund of an older API version, names only its charge.
  if (!/^(ch|py)_\w+$/.test(charge)) {
    logError(new Error("An event names something that is not a charge"), { type });
    return {};
  }
  const found = await billing((stripe, options) => stripe.charges.retrieve(charge, {}, options));
  return { customer: idOf(found.customer), charge };
}

type Reference = string | { id: string } | null | undefined;

const idOf = (reference: Reference): string | undefined =>
  typeof reference === "string" ? reference : (reference?.id ?? undefined);
