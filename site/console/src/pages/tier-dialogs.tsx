import { ignoreMissing } from "../data/problem-text.ts";
import { ifMatch } from "../data/use-write.ts";
import { countOf, pricesText } from "../format.ts";
import { RecordDialog } from "../parts/record-dialog.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";
import {
  priceErrorsOf,
  priceFields,
  pricesOf,
  priceValuesOf,
  type TierProps,
  usePatch,
  useRead,
} from "./tier-fields.ts";

export function PriceDialog(props: TierProps) {
  const { tier, stats, onClose } = props;
  const patch = usePatch(props);
  const members = stats?.by_tier.find(({ id }) => id === tier.id)?.member_count;
  const explain = (values: Values) => {
    if (Object.values(priceErrorsOf(values)).some(Boolean)) return <p>Enter a price to see who is affected.</p>;
    return (
      <>
        <p>
          New members pay {pricesText(pricesOf(values))} from now on.{" "}
          {members === 0
            ? "No current member is affected."
            : `${members === undefined ? "Members" : `The ${countOf(members, "member")}`} with access keep the price they joined at.`}
        </p>
        <p>Checkout pages that are already open keep the old price.</p>
      </>
    );
  };
  return (
    <RecordDialog
      title={`Change price of ${tier.name}`}
      id={tier.id}
      read={useRead(props, priceValuesOf)}
      fields={priceFields}
      submit="Change price"
      explain={explain}
      check={priceErrorsOf}
      done="The price was changed for new members."
      send={(_, headers, values) => patch(pricesOf(values), headers)}
      onClose={onClose}
    />
  );
}

export function ArchiveTier(props: TierProps) {
  const { tier, onClose } = props;
  const patch = usePatch(props);
  const isActive = tier.status === "active";
  const status = isActive ? "archived" : "active";
  return (
    <RecordDialog
      title={isActive ? `Archive ${tier.name}` : `Activate ${tier.name}`}
      id={tier.id}
      read={useRead(props, (current) => ({ ...priceValuesOf(current), status: current.status }))}
      target={{ status }}
      submit={isActive ? "Archive the tier" : "Activate the tier"}
      explain={(values) =>
        isActive ? (
          <p>
            Nobody can subscribe to it any more. Current members keep the tier and its benefits, and continue to pay.
          </p>
        ) : (
          <p>People can subscribe to it again, for {pricesText(pricesOf(values))}.</p>
        )
      }
      done={isActive ? `${tier.name} was archived.` : `${tier.name} was activated.`}
      send={(_, headers) => patch({ status }, headers)}
      onClose={onClose}
    />
  );
}

export function DeleteTier(props: TierProps) {
  const odis = useOdis();
  const { id, name } = props.tier;
  return (
    <RecordDialog
      title={`Delete ${name}`}
      id={id}
      read={useRead(props)}
      submit="Delete the tier"
      tone="danger"
      explain={() => <p>This cannot be undone. Only a tier that was never used can be deleted.</p>}
      done={`${name} was deleted.`}
      send={(_, headers) =>
        odis.delete("/odis/v1/tiers/{id}", { params: { path: { id }, header: ifMatch(headers) } }).catch(ignoreMissing)
      }
      onClose={props.onClose}
    />
  );
}
