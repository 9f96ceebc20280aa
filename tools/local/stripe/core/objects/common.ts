import type Stripe from "stripe";

/** A reference to another object: its id, or the object itself if it is expanded. */
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

// A string in JSON, which Stripe's client parses into an object.
export const decimal = (amount: number) => String(amount) as unknown as Stripe.Decimal;

export const noAddress = { city: null, country: null, line1: null, line2: null, postal_code: null, state: null };
