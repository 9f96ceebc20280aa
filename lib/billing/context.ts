import type { Writer } from "../store/table.ts";
import type { Billing } from "./stripe.ts";

/** The table, Stripe and the time of the current request. */
export type BillingContext = {
  readonly table: Writer;
  readonly billing: Billing;
  readonly now: Date;
  /** Whether the key for Stripe has only the permissions of the routes that only read. */
  readonly readsOnly?: true;
};
