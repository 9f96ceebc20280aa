import { FormDialog } from "../parts/form-dialog.tsx";
import { RecordDialog } from "../parts/record-dialog.tsx";
import { useOdis } from "../session.tsx";
import {
  bodyOf,
  errorsOf,
  nameField,
  otherFields,
  priceErrorsOf,
  priceFields,
  pricesOf,
  type TierProps,
  type TiersProps,
  usePatch,
  useRead,
  valuesOf,
} from "./tier-fields.ts";

export function CreateTier({ communityId, onClose }: TiersProps) {
  const odis = useOdis();
  const values = {
    name: "",
    monthly_price_dollars: "",
    yearly_price_dollars: "",
    badge: "",
    trial_days: "0",
    requires_shipping_address: false,
  };
  return (
    <FormDialog
      title="Create a tier"
      fields={[nameField, ...priceFields, ...otherFields]}
      opened={{ values }}
      submit="Create the tier"
      explain={() => <p>People can subscribe to it immediately. It is added to the end of the list.</p>}
      check={(given) => ({ ...errorsOf(given), ...priceErrorsOf(given) })}
      done="The tier was created."
      send={async (_, header, given) => {
        const fields = { ...bodyOf(given), name: String(given.name).trim(), ...pricesOf(given) };
        const { status: _status, ...tier } = fields;
        return odis.request("post", "/odis/v1/communities/{community_id}/tiers", {
          params: { path: { community_id: communityId }, header },
          body: { tier },
        });
      }}
      onClose={onClose}
    />
  );
}

export function EditTier(props: TierProps) {
  const patch = usePatch(props);
  return (
    <RecordDialog
      title={`Edit ${props.tier.name}`}
      id={props.tier.id}
      read={useRead(props, valuesOf)}
      fields={[nameField, ...otherFields]}
      submit="Save"
      check={errorsOf}
      done="The tier was saved."
      send={(changed, headers) => patch(bodyOf(changed), headers)}
      onClose={props.onClose}
    />
  );
}
