import { expect } from "vitest";
import type { StoredMember } from "#lib/store/members/item.ts";
import type { LocalMoney } from "../money.ts";

/** Adds an open invoice of something else that the customer of a member buys, in automatic collection. A month passes. */
export async function aDebt(
  { stripe, control }: Pick<LocalMoney, "stripe" | "control">,
  { stripe_customer_id }: StoredMember,
): Promise<string> {
  const customer = stripe_customer_id ?? "";
  const { id: price } = await stripe.prices.create({
    currency: "usd",
    unit_amount: 700,
    recurring: { interval: "month" },
    product_data: { name: "Something else" },
  });
  await control("subscriptions", { customer, price });
  await control("faults", { decline: true });
  await control("advance", { days: 32 });
  await control("faults", { decline: 0 });
  const { data } = await stripe.invoices.list({ customer, status: "open" });
  const debt = data.find(({ amount_due }) => amount_due === 700);
  expect(debt).toMatchObject({ auto_advance: true });
  return debt?.id ?? "";
}
