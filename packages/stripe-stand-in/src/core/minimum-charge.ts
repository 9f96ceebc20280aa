/** The smallest amount that is charged. That of US dollars, used for all currencies. */
export const minimumCharge = 50;

type Settlement = {
  /** What the customer pays now. */
  readonly due: number;
  /** The customer's balance afterwards: negative for a credit, positive for a debt. */
  readonly ending: number;
};

/**
 * Applies a customer's balance to the total of an invoice. A negative total becomes credit, and an amount that is too
 * small to be charged becomes a debt for the next invoice.
 *
 * @see https://docs.stripe.com/billing/customer/balance
 */
export function settlement(balance: number, total: number): Settlement {
  const owed = balance + total;
  return owed < minimumCharge ? { due: 0, ending: owed } : { due: owed, ending: 0 };
}
