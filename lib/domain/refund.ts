import * as v from "valibot";
import { RefundEntry } from "../fields/refund.ts";
import { integer, oneOf } from "../values/scalars.ts";
import { note } from "../values/shown.ts";
import { Member } from "./member.ts";

const terms = {
  amount_cents: v.optional(integer(1)),
  reason: v.optional(oneOf(["requested_by_customer", "duplicate", "fraudulent"]), "requested_by_customer"),
  note: v.optional(note(500)),
};

export const RefundRequest = v.strictObject(terms);

export const ChargeRefundRequest = v.strictObject({
  charge_id: v.pipe(v.string(), v.regex(/^(ch|py)_\w{1,200}$/, "must be the id of a charge")),
  ...terms,
});

export const RefundAnswer = v.object({ refund: RefundEntry, member: Member });
