import { is } from "valibot";
import { expect, it } from "vitest";
import { TierCreate } from "#lib/domain/tier.ts";

const isPrice = (monthly_price_dollars: number) => is(TierCreate, { tier: { name: "Cask", monthly_price_dollars } });

it.each([0, 0.5, 0.57, 1.1, 8.12, 19.99, 25, 999_998.99, 999_999])(
  "a tier may have a price of %d dollars",
  (dollars) => {
    expect(isPrice(dollars)).toBe(true);
  },
);

it.each([-1, 0.01, 0.49, 10.005, 8.120000000000001, 19.990000000000006, 999_999.01])(
  "a tier may not have a price of %d dollars, which is not in whole cents or out of Stripe's range",
  (dollars) => {
    expect(isPrice(dollars)).toBe(false);
  },
);
