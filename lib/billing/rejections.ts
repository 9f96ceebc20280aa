import type { Operation } from "../domain/operation.ts";
import { completeOperation } from "../store/operations.ts";
import { write } from "../store/write.ts";
import type { BillingContext } from "./context.ts";
import { rejection } from "./ownership.ts";
import { isPaid } from "./snapshot.ts";
import { refusalOf } from "./stripe.ts";

/**
 * Ends a subscription that must not be and gives back all that was paid for it: the only automatic refunds there are.
 * Each step can be repeated: what is canceled stays so, and each refund has a key of its own.
 */
export async function reject({ billing, table, now }: BillingContext, operation: Operation): Promise<void> {
  if (operation.intent.kind !== "reject") return;
  const { subscription_id: subscription } = operation.intent;

  await billing((stripe, options) =>
    stripe.subscriptions.cancel(
      subscription,
      {
        invoice_now: false,
        prorate: false,
        cancellation_details: { comment: `${rejection}a live subscription or a block stood in the way` },
      },
      options,
    ),
  ).catch((error: unknown) => {
    // Stripe says of a subscription that has ended that there is no such subscription.
    if (refusalOf(error)?.code !== "resource_missing") throw error;
  });

  for (const payment_intent of await paymentsOf({ billing, subscription })) {
    const [charge] = await billing((stripe, options) =>
      stripe.charges.list({ payment_intent, limit: 1 }, options),
    ).then(({ data }) => data.filter(isPaid));
    if (!charge || charge.amount_refunded >= charge.amount_captured) continue;
    await billing(
      (stripe, options) => stripe.refunds.create({ payment_intent, metadata: { operation_id: operation.id } }, options),
      `reject-${payment_intent}`,
    ).catch((error: unknown) => {
      if (refusalOf(error)?.code !== "charge_already_refunded") throw error;
    });
  }
  await write(table, completeOperation(operation, now));
}

/** The payment intents that paid a subscription's invoices. */
async function paymentsOf({
  billing,
  subscription,
}: Pick<BillingContext, "billing"> & { subscription: string }): Promise<string[]> {
  const invoices = await billing((stripe, options) =>
    stripe.invoices
      .list({ subscription, status: "paid", limit: 100, expand: ["data.payments"] }, options)
      .autoPagingToArray({ limit: 1000 }),
  );
  return invoices.flatMap(({ payments }) =>
    (payments?.data ?? []).flatMap(({ status, payment }) => {
      const { payment_intent } = payment;
      if (status !== "paid" || !payment_intent) return [];
      return [typeof payment_intent === "string" ? payment_intent : payment_intent.id];
    }),
  );
}
