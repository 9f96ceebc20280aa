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

export type Words<S extends string> = S extends `${infer First} ${infer Rest}` ? First | Words<Rest> : S;

/** Splits a text into words. */
export const words = <S extends string>(text: S) => text.split(" ") as Words<S>[];

/** Properties with the value null, by name. Most properties of an object are not modelled. */
export const nulls = <S extends string>(names: S) =>
  Object.fromEntries(words(names).map((name) => [name, null])) as Record<Words<S>, null>;

export const noAddress = nulls("city country line1 line2 postal_code state");
