import type Stripe from "stripe";
import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import type { RefundEntry } from "../domain/refund-entry.ts";
import { Problem } from "../problem.ts";
import * as customers from "../store/customers.ts";
import type { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as operations from "../store/operations.ts";
import type { BillingContext } from "./context.ts";
import { syncFormerCharge } from "./former-charge.ts";
import { assertSame, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { moneyOf } from "./payments.ts";
import { type ChargeWithRefunds, isoOf } from "./snapshot.ts";
import { problemOf, refusalOf } from "./stripe.ts";
import { syncMember } from "./sync.ts";

export type RefundIntent = Extract<Intent, { kind: "refund" }>;

type Wanted = {
  readonly charge_id?: string | undefined;
  readonly amount_cents?: number | undefined;
  readonly reason: RefundIntent["reason"];
  readonly note?: string | undefined;
};

/**
 * Refunds a charge of a member, once for each operation id (`docs/api.md`, section 3, "Money rules"). Charge and amount
 * are chosen once and stored before Stripe is asked; retries repeat them.
 *
 * @throws Problem `nothing_to_refund`, `charge_already_refunded`, `charge_disputed`, `amount_exceeds_refundable`,
 * `not_found`, `request_in_progress`, `idempotency_key_reused`, and what Stripe fails with
 */
export async function refund(
  context: BillingContext,
  member: StoredMember,
  wanted: Wanted,
  request: OperationRequest,
): Promise<{ refund: RefundEntry; member: StoredMember }> {
  const { stripe_customer_id: customer } = member;
  if (!customer) throw new Problem("nothing_to_refund");
  const [known, { snapshot, payments }, current] = await Promise.all([
    operations.find(context.table, member.id, request.operationId),
    moneyOf(context, member),
    customers.find(context.table, member.user.id, member.community_id),
  ]);
  // Nothing of a customer that was deleted at Stripe can be refunded.
  if (!snapshot || (current && current.customer_id !== customer)) throw new Problem("nothing_to_refund");
  if (known) assertSame(known, request);
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, intentOf(payments, wanted), request);
  const made = await repeatRefund(context, operation, snapshot.charges);

  const link = linkOf(member);
  const synced = await syncMember(context, link);
  // A repetition may be of one that is not among the newest, which are all that the record shows.
  const find = () => operations.findRefund(context.table, member.id, isoOf(made.created), made.id);
  const listed = await find();
  if (listed && synced) return { refund: listed, member: synced };
  // The person may have become another customer since.
  const after = await syncFormerCharge(context, link, { formerCharge: refundOf(operation).charge_id });
  const entry = await find();
  if (!after || !entry) throw new Error(`Refund ${made.id} is not known after a sync`);
  return { refund: entry, member: after };
}

function refundOf({ id, intent }: Operation): RefundIntent {
  if (intent.kind !== "refund") throw new Error(`Operation ${id} is not a refund`);
  return intent;
}

/** The charge and the amount of a refund that nobody has chosen yet. */
function intentOf(payments: readonly Payment[], { charge_id, amount_cents, reason, note }: Wanted): RefundIntent {
  const charges = payments
    .flatMap((payment) => payment.charges)
    .toSorted((a, b) => Number(a.created_at < b.created_at) - Number(a.created_at > b.created_at));
  const charge = charges.find(({ id, refundable_cents }) =>
    charge_id === undefined ? refundable_cents > 0 : id === charge_id,
  );
  if (!charge) {
    if (charge_id === undefined) throw new Problem("nothing_to_refund");
    throw new Problem("not_found", { detail: `The member has no paid charge ${charge_id}` });
  }
  const { id, paid_cents, amount_refunded_cents, refundable_cents } = charge;
  if (paid_cents > 0 && amount_refunded_cents >= paid_cents) throw new Problem("charge_already_refunded");
  if (refundable_cents === 0) throw new Problem("nothing_to_refund");
  if (amount_cents !== undefined && amount_cents > refundable_cents) throw exceeds(refundable_cents);
  return {
    kind: "refund",
    charge_id: id,
    amount_cents: amount_cents ?? refundable_cents,
    reason,
    note: note ?? null,
  };
}

const left = ({ amount_captured, amount_refunded }: Stripe.Charge): number => amount_captured - amount_refunded;

/**
 * Asks Stripe for the refund of an operation, or finds the one it made already: Stripe forgets its idempotency keys
 * after a day, but not what a refund's metadata says.
 */
export async function repeatRefund(
  { table, billing, now }: BillingContext,
  operation: Operation,
  charges: readonly ChargeWithRefunds[],
): Promise<Stripe.Refund> {
  const { id } = operation;
  const { charge_id: charge, amount_cents: amount, reason } = refundOf(operation);
  const made = charges.flatMap(({ refunds }) => refunds).find(({ metadata }) => metadata?.operation_id === id);
  if (made) return made;
  try {
    return await billing(
      (stripe, options) =>
        stripe.refunds.create(
          {
            charge,
            amount,
            metadata: { operation_id: id },
            // Stripe would put the card and the email address of a fraudulent charge on its block lists.
            ...((reason === "requested_by_customer" || reason === "duplicate") && { reason }),
          },
          options,
        ),
      stripeKeyOf(operation),
    );
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    await operations.refuse(table, operation, now);
    const current = charges.find((candidate) => candidate.charge.id === charge)?.charge;
    const meaning = problemOf("refund", error);
    throw meaning?.code === "amount_exceeds_refundable" ? exceeds(current ? left(current) : 0) : (meaning ?? error);
  }
}

const exceeds = (refundable_cents: number): Problem =>
  new Problem("amount_exceeds_refundable", {
    detail: `amount_cents must be at most ${refundable_cents}`,
    errors: [{ pointer: "/amount_cents", code: "too_large", message: `must be at most ${refundable_cents}` }],
    more: { refundable_cents },
  });
