import type Stripe from "stripe";
import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import { Problem } from "../problem.ts";
import * as customers from "../store/customers.ts";
import type { Payment } from "../store/facts.ts";
import type { StoredMember } from "../store/members/item.ts";
import * as operations from "../store/operations.ts";
import type { RefundEntry } from "../values/refund-entry.ts";
import type { BillingContext } from "./context.ts";
import { syncFormerCharge } from "./former-charge.ts";
import { assertSame, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { moneyOf } from "./payments.ts";
import { type ChargeWithRefunds, idOf, isoOf } from "./snapshot.ts";
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
  const { table } = context;
  const { id, stripe_customer_id: customer } = member;
  if (!customer) throw nothingToRefund();
  const [known, { snapshot, payments }, current] = await Promise.all([
    operations.find(table, id, request.operationId),
    moneyOf(context, member),
    customers.find(table, member.user.id, member.community_id),
  ]);
  // Nothing of a customer that was deleted at Stripe can be refunded.
  if (!snapshot || (current && current.customer_id !== customer)) throw nothingToRefund();
  if (known) assertSame(known, request);
  const operation = known
    ? await resume(context, known)
    : await begin(context, member, intentOf(payments, wanted), request);
  const made = await repeatRefund(context, operation, snapshot.charges);

  const link = linkOf(member);
  let after = await syncMember(context, link);
  // A repetition may be of one that is not among the newest, which are all that the record shows.
  const find = () => operations.findRefund(table, id, isoOf(made.created), made.id);
  let entry = await find();
  if (!entry) {
    // The person has become another customer since.
    after = await syncFormerCharge(context, link, { formerCharge: idOf(made.charge) });
    entry = await find();
  }
  if (!after || !entry) throw new Error(`Refund ${made.id} is not stored`);
  return { refund: entry, member: after };
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
    if (charge_id === undefined) throw nothingToRefund();
    throw new Problem("not_found", { detail: `The member has no paid charge ${charge_id}` });
  }
  const { id, paid_cents, amount_cents: charged_cents, amount_refunded_cents, refundable_cents } = charge;
  if (paid_cents > 0 && amount_refunded_cents >= charged_cents) throw new Problem("charge_already_refunded");
  if (refundable_cents === 0) throw nothingToRefund();
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
  const { id, intent } = operation;
  if (intent.kind !== "refund") throw new Error(`${id} is no refund`);
  const { charge_id: charge, amount_cents: amount, reason } = intent;
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

const nothingToRefund = (): Problem => new Problem("nothing_to_refund");

function exceeds(refundable_cents: number): Problem {
  const message = `must be at most ${refundable_cents}`;
  return new Problem("amount_exceeds_refundable", {
    detail: `amount_cents ${message}`,
    errors: [{ pointer: "/amount_cents", code: "too_large", message }],
    more: { refundable_cents },
  });
}
