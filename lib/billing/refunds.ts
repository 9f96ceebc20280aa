import type Stripe from "stripe";
import { type Intent, type Operation, stripeKeyOf } from "../domain/operation.ts";
import type { RefundEntry } from "../fields/refund.ts";
import { Problem } from "../problem.ts";
import * as customers from "../store/customers.ts";
import type { Payment } from "../store/facts.ts";
import { confirmationOf } from "../store/members/confirmation.ts";
import type { StoredMember } from "../store/members/item.ts";
import type { Ledger } from "../store/operations.ts";
import * as operations from "../store/operations.ts";
import type { BillingContext } from "./context.ts";
import { syncFormerCustomer } from "./former-customer.ts";
import { assertSameRequest, begin, linkOf, type OperationRequest, resume } from "./operations.ts";
import { findListed, isHeld, memberPayments, unrefundedOf } from "./payments.ts";
import { type ChargeWithRefunds, idOf, isoOf, type Snapshot, withSchedules } from "./snapshot.ts";
import { problemOf, refusalOf } from "./stripe.ts";
import { syncAfterChange } from "./sync.ts";

/** A member, and the tiers of their community. */
type MemberInCommunity = {
  readonly record: StoredMember;
  readonly parent: { readonly tiers: readonly { readonly id: number }[] };
};

export type RefundIntent = Extract<Intent, { kind: "refund" }>;

/** The request body of a refund. */
type RefundRequest = {
  readonly charge_id?: string | undefined;
  readonly amount_cents?: number | undefined;
  readonly reason: RefundIntent["reason"];
  readonly note?: string | undefined;
};

/**
 * Refunds a charge of a member, once per operation id (`docs/api.md`, section 3, "Money rules"). The charge and amount are
 * chosen once and stored before Stripe is called. Retries use the stored choice.
 *
 * @throws Problem `nothing_to_refund`, `charge_already_refunded`, `charge_disputed`, `amount_exceeds_refundable`,
 * `not_found`, `request_in_progress`, `idempotency_key_reused`, and the problems of Stripe
 */
export async function refund(
  context: BillingContext,
  { record: member, parent: { tiers } }: MemberInCommunity,
  refundRequest: RefundRequest,
  request: OperationRequest,
): Promise<{ refund: RefundEntry; member: StoredMember }> {
  const { table, billing } = context;
  const { id, stripe_customer_id: customer } = member;
  if (!customer) throw nothingToRefund();
  // The ledger is read after the member and before Stripe, so that the refund can be stored without reading again.
  const [ledger, confirmation, current] = await Promise.all([
    operations.ledgerOf(table, id),
    confirmationOf(table, member),
    customers.find(table, member.user.id, member.community_id),
  ]);
  const snapshot = await findListed(billing, customer, withSchedules);
  const storedOperation = ledger.operations.find((operation) => operation.id === request.operationId);
  // Charges of a customer that was deleted at Stripe cannot be refunded.
  if (!snapshot || (current && current.customer_id !== customer)) throw nothingToRefund();
  if (storedOperation) assertSameRequest(storedOperation, request);
  const operation = storedOperation
    ? await resume(context, storedOperation)
    : await begin(
        context,
        member,
        chooseRefund(
          memberPayments(member, { snapshot, ledger, tiers }),
          snapshot.charges.filter((one) => isHeld(one) && idOf(one.charge.customer) === customer),
          refundRequest,
        ),
        request,
      );
  const made = await ensureRefund(context, operation, snapshot.charges);

  const link = linkOf(member);
  const copy = { member, confirmation, ledger: withOperation(ledger, operation) };
  let after = await syncAfterChange(context, link, { copy, snapshot: withRefund(snapshot, made) });
  // Reads the stored refund, because the member's record shows only the newest ones.
  const find = () => operations.findRefund(table, id, isoOf(made.created), made.id);
  let entry = await find();
  if (!entry) {
    // The customer was deleted in the meantime, and the person has another one.
    const charge = idOf(made.charge);
    after = await syncFormerCustomer(context, link, { former: charge === undefined ? undefined : { charge } });
    entry = await find();
  }
  if (!after || !entry) throw new Error(`Refund ${made.id} is not stored`);
  return { refund: entry, member: after };
}

const withOperation = (ledger: Ledger, operation: Operation): Ledger => ({
  ...ledger,
  operations: [...ledger.operations.filter(({ id }) => id !== operation.id), operation],
});

/** The data of a customer after a refund that they may lack. */
function withRefund(snapshot: Snapshot, made: Stripe.Refund): Snapshot {
  const charges = snapshot.charges.map((before) => {
    const { charge, refunds } = before;
    if (charge.id !== idOf(made.charge) || refunds.some(({ id }) => id === made.id)) return before;
    const refunded = made.status === "failed" || made.status === "canceled" ? 0 : made.amount;
    const amount_refunded = Math.min(charge.amount_refunded + refunded, charge.amount_captured);
    return { ...before, charge: { ...charge, amount_refunded }, refunds: [made, ...refunds] };
  });
  return { ...snapshot, charges };
}

/**
 * Chooses the charge and the amount of a refund: by default the newest refundable charge, and all that is refundable. If there
 * is none, chooses a charge with an open dispute. Stripe refuses it, and retries of the request do not choose another one.
 *
 * @throws Problem `nothing_to_refund`, `not_found`, `charge_already_refunded`, `amount_exceeds_refundable`
 */
function chooseRefund(
  payments: readonly Payment[],
  held: readonly ChargeWithRefunds[],
  { charge_id, amount_cents, reason, note }: RefundRequest,
): RefundIntent {
  const charges = payments
    .flatMap((payment) => payment.charges)
    .toSorted((a, b) => Number(a.created_at < b.created_at) - Number(a.created_at > b.created_at));
  const heldOf = ({ id }: { readonly id: string }) => held.find(({ charge }) => charge.id === id);
  const charge =
    charge_id === undefined
      ? (charges.find(({ refundable_cents }) => refundable_cents > 0) ?? charges.find(heldOf))
      : charges.find(({ id }) => id === charge_id);
  if (!charge) {
    if (charge_id === undefined) throw nothingToRefund();
    throw new Problem("not_found", { detail: `The member has no paid charge ${charge_id}` });
  }
  const { id, paid_cents, amount_cents: charged_cents, amount_refunded_cents } = charge;
  const dispute = heldOf(charge);
  const refundable_cents = dispute ? unrefundedOf(dispute.charge) : charge.refundable_cents;
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

/**
 * Creates the refund of an operation at Stripe, or returns the existing one. Stripe removes idempotency keys after a day,
 * so an existing refund is found by its metadata.
 */
export async function ensureRefund(
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
    const problem = problemOf("refund", error);
    throw problem?.code === "amount_exceeds_refundable"
      ? exceeds(current ? unrefundedOf(current) : 0)
      : (problem ?? error);
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
