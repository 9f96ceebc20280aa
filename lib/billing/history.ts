import type { Invoice } from "../domain/payment.ts";
import type { Payment } from "../store/facts.ts";
import { positionOf } from "./payments.ts";

type Page = { readonly per: number; readonly after: string | undefined };

/** Returns a page of a member's payments. `end` is the position of its last payment, and is absent on the last page. */
export function pageOf(payments: readonly Payment[], { per, after }: Page): { data: Invoice[]; end?: string } {
  const remaining = after === undefined ? payments : payments.filter((payment) => positionOf(payment) < after);
  const data = remaining.slice(0, per);
  const last = data.at(-1);
  return remaining.length > per && last ? { data, end: positionOf(last) } : { data };
}
