import * as v from "valibot";
import { documented } from "../values/documented.ts";
import { RefundEntry } from "../values/refund-entry.ts";
import { integer, oneOf } from "../values/scalars.ts";
import { note } from "../values/shown.ts";
import { Member } from "./member.ts";

const terms = {
  amount_cents: v.optional(integer(1)),
  reason: v.optional(oneOf(["requested_by_customer", "duplicate", "fraudulent"]), "requested_by_customer"),
  note: v.optional(note(500)),
};
const termDocs = {
  amount_cents: ["Amount to refund in US cents. Defaults to the remaining amount of the charge.", 500],
  reason: "Reason for the refund. `fraudulent` is recorded here but not passed to Stripe, which would block the card.",
  note: ["Note for your own records.", "Bottle arrived broken"],
} as const;

export const RefundRequest = documented(v.strictObject(terms), termDocs);

export const ChargeRefundRequest = documented(
  v.strictObject({
    charge_id: v.pipe(v.string(), v.regex(/^(ch|py)_\w{1,200}$/, "must be the id of a charge")),
    ...terms,
  }),
  {
    charge_id: ["Identifier of the charge to refund, as in the payment history.", "ch_3TUQmN2eZvKYlo2C0z9y8x7w"],
    ...termDocs,
  },
);

export const RefundAnswer = documented(v.object({ refund: RefundEntry, member: Member }), {
  refund: "The refund.",
  member: "The member after the refund.",
});
