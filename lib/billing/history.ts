import type { Invoice } from "../domain/payment.ts";
import type { Payment } from "../store/facts.ts";
import { positionOf } from "./payments.ts";

type Page = { readonly per: number; readonly after: string | undefined };

/** A page of a member's payments, and where it ends; `undefined` on the last one. */
export function pageOf(payments: readonly Payment[], { per, after }: Page): { data: Invoice[]; end?: string } {
  const rest = after === undefined ? payments : payments.filter((payment) => positionOf(payment) < after);
  const data = rest.slice(0, per);
  const last = data.at(-1);
  return rest.length > per && last ? { data, end: positionOf(last) } : { data };
}
