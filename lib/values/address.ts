import * as v from "valibot";
import { countries, isCountry } from "./country.ts";
import { limitsOfVisible, rule, text } from "./scalars.ts";
import { visible } from "./shown.ts";

/** A shipping address. All fields are empty if none is stored. */
export const ShippingAddress = v.object({
  name: v.string(),
  line1: v.string(),
  line2: v.string(),
  city: v.string(),
  state: v.string(),
  postal_code: v.string(),
  country: v.string(),
  phone: v.string(),
});
export type ShippingAddress = v.InferOutput<typeof ShippingAddress>;

/** An address as it is stored. Those of earlier versions have no phone. */
export const StoredAddress = v.object({ ...ShippingAddress.entries, phone: v.optional(v.string(), "") });

export const noAddress: ShippingAddress = {
  name: "",
  line1: "",
  line2: "",
  city: "",
  state: "",
  postal_code: "",
  country: "",
  phone: "",
};

const required = v.pipe(text(1, 200), visible, v.metadata(limitsOfVisible(1, 200)));
const optional = text(0, 200);

/**
 * A complete address. All but `line1` and `country` may be empty, so that a stored address can be written back: Stripe's
 * addresses in Singapore have no city.
 */
export const AddressInput = v.strictObject({
  name: v.pipe(optional, visible),
  line1: required,
  line2: optional,
  city: optional,
  state: optional,
  postal_code: optional,
  country: v.pipe(
    v.string(),
    rule("not_one_of", isCountry, "must be an ISO 3166-1 alpha-2 code"),
    v.metadata({ enum: [...countries] }),
  ),
  phone: v.optional(optional, ""),
});
