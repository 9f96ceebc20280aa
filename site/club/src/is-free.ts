import type { Membership } from "./odis.ts";

type Paid = Partial<Pick<Membership, "tier" | "price_cents" | "scheduled_change">>;

/**
 * Whether the member pays nothing now. They keep their own price if the tier gets another one. With a scheduled change,
 * `price_cents` is the price after it, so that of the tier counts.
 */
export function isFree({ tier, price_cents, scheduled_change: change }: Paid = {}): boolean {
  const price = tier?.monthly_price_dollars;
  return (change ? price : (price_cents ?? price)) === 0;
}
