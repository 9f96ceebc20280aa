import { useState } from "preact/hooks";
import { countryChoices, countryOf } from "../data/countries.ts";
import { isErased } from "../data/member-words.ts";
import type { AddressInput, Member } from "../data/odis.ts";
import { firstNameOf, nameOf } from "../format.ts";
import { Button } from "../parts/button.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { Card } from "../parts/page.tsx";
import type { Values } from "../parts/values.ts";
import { type MemberProps, opening, usePatch } from "./member-props.ts";

const addressFields = [
  { name: "name", label: "Name of the recipient", autocomplete: "off" },
  { name: "line1", label: "Street and number" },
  { name: "line2", label: "Apartment, floor or company", isOptional: true },
  { name: "postal_code", label: "ZIP or postal code", isOptional: true },
  { name: "city", label: "City" },
  { name: "state", label: "State or region", isOptional: true },
  {
    name: "country",
    label: "Country",
    kind: "select",
    choices: [{ value: "", label: "Choose a country" }, ...countryChoices],
  },
  { name: "phone", label: "Phone, for the carrier", isOptional: true },
] as const;

const required = {
  name: "Enter the name of the recipient.",
  line1: "Enter the street.",
  city: "Enter the city.",
  country: "Choose a country.",
};
/** Stripe requires a name. Labels without one have the name of the member. */
const addressOf = ({ shipping_address, user }: Member): Values => ({
  ...shipping_address,
  name: shipping_address.name || nameOf(user),
});

export function AddressCard(props: MemberProps) {
  const [isOpen, setIsOpen] = useState(false);
  const patch = usePatch(props);
  const { member, isManual } = props;
  const where = isManual ? "in Odis" : "in Odis and in Stripe";
  const { name, line1, line2, city, state, postal_code, country, phone } = member.shipping_address;
  /** Addresses of Singapore, for example, have no city. */
  const mayLack = (field: string) => field === "city" && city === "" && line1 !== "";
  return (
    <Card
      title="Shipping address"
      actions={
        !isErased(member) && (
          <Button label="Edit the shipping address" onClick={() => setIsOpen(true)}>
            Edit
          </Button>
        )
      }
    >
      {member.has_shipping_address ? (
        <address>
          {[name, line1, line2, [postal_code, city].filter(Boolean).join(" "), state, countryOf(country), phone]
            .filter(Boolean)
            .map((line) => (
              <span key={line}>{line}</span>
            ))}
        </address>
      ) : (
        <p class="muted">
          {member.requires_shipping_address
            ? "No address yet. The tier includes shipments."
            : "No address. The tier does not include shipments."}
        </p>
      )}
      {isOpen && (
        <FormDialog
          title="Shipping address"
          fields={addressFields}
          {...opening(props, addressOf)}
          submit="Save the address"
          explain={() => (
            <p>
              The address is saved {where}. {firstNameOf(member.user)} is not notified.
            </p>
          )}
          check={(values) =>
            Object.fromEntries(
              Object.entries(required).map(([field, text]) => [
                field,
                values[field] === "" && !mayLack(field) ? text : undefined,
              ]),
            )
          }
          done={`The address was saved ${where}.`}
          send={async (_, headers, values) => patch({ shipping_address: values as unknown as AddressInput }, headers)}
          onClose={() => setIsOpen(false)}
          onDone={props.refresh}
        />
      )}
    </Card>
  );
}
