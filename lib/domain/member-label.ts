import * as v from "valibot";
import { Id } from "../values/scalars.ts";
import type { Member } from "./member.ts";

/** Maximum number of rows in a file of shipping labels. */
export const maxLabels = 5000;

/** A row of a file of shipping labels, with the columns that label software knows. */
export const MemberLabel = v.object({
  "Order Number": Id,
  "Recipient Name": v.string(),
  "Address Line 1": v.string(),
  "Address Line 2": v.string(),
  City: v.string(),
  State: v.string(),
  "Postal Code": v.string(),
  Country: v.string(),
  Phone: v.string(),
  "Item Name": v.string(),
  Quantity: v.number(),
});
export type MemberLabel = v.InferOutput<typeof MemberLabel>;

/**
 * The label of a member's parcel. A phone number is written without its leading `+`, which the protection against formulas
 * would change into text that carriers refuse.
 */
export function labelOf(
  { id, user, shipping_address: address }: Pick<Member, "id" | "user" | "shipping_address">,
  tierName: string,
): MemberLabel {
  return {
    "Order Number": id,
    "Recipient Name": address.name || `${user.first_name} ${user.last_name}`.trim(),
    "Address Line 1": address.line1,
    "Address Line 2": address.line2,
    City: address.city,
    State: address.state,
    "Postal Code": address.postal_code,
    Country: address.country,
    Phone: address.phone.replace(/^\s*\+/, ""),
    "Item Name": tierName,
    Quantity: 1,
  };
}
