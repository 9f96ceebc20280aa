import * as v from "valibot";
import { Member, RefundEntry } from "./member.ts";
import { text } from "./scalars.ts";

const terms = {
  /** All that is left of the charge where absent. */
  amount_cents: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(1))),
  reason: v.optional(v.picklist(["requested_by_customer", "duplicate", "fraudulent"]), "requested_by_customer"),
  note: v.optional(text(0, 500)),
};

export const RefundRequest = v.strictObject(terms);

export const ChargeRefundRequest = v.strictObject({
  charge_id: v.pipe(v.string(), v.regex(/^(ch|py)_\w{1,200}$/, "must be the id of a charge")),
  ...terms,
});

export const RefundAnswer = v.object({ refund: RefundEntry, member: Member });
