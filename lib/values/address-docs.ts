import { AddressInput, ShippingAddress } from "./address.ts";
import { describeFields } from "./documented.ts";

const addressDocs = {
  name: ["Name of the recipient. May be empty.", "Ana Ruiz"],
  line1: ["Street and number.", "118 Calle de Alcalá"],
  line2: ["Apartment, floor or company. May be empty.", ""],
  city: ["City or town.", "Madrid"],
  state: ["State, province or region. May be empty.", "Madrid"],
  postal_code: ["ZIP or postal code. May be empty.", "28009"],
  country: ["Two-letter country code (ISO 3166-1 alpha-2).", "ES"],
  phone: ["Phone number of the recipient, for the carrier. May be empty.", "+34 600 111 222"],
} as const;

describeFields(ShippingAddress, addressDocs);
describeFields(AddressInput, addressDocs);
