import type Stripe from "stripe";

/** The account itself, of which only the id is modelled. */
export const accountObject = (id: string): Pick<Stripe.Account, "id" | "object"> => ({ id, object: "account" });
