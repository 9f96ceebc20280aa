import type Stripe from "stripe";

/** What a property says of another object: its id, or all of it where it is expanded. */
export type Reference = string | { readonly id: string } | null | undefined;

export function idOf(reference: Reference): string | null {
  return typeof reference === "object" ? (reference?.id ?? null) : (reference ?? null);
}

export const list = <T>(url: string, data: T[], hasMore = false): Stripe.ApiList<T> => ({
  object: "list",
  data,
  has_more: hasMore,
  url,
});

// Stripe's client makes an object of it; what travels is a string.
export const decimal = (amount: number) => String(amount) as unknown as Stripe.Decimal;

export const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
