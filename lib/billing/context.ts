import type { Writer } from "../store/table.ts";
import type { Billing } from "./stripe.ts";

/** What billing works with: the table, Stripe, and the time. */
export type BillingContext = { readonly table: Writer; readonly billing: Billing; readonly now: Date };
