import type { Stats, Tier, TierUpdate } from "../data/odis.ts";
import { readTier, type Versioned } from "../data/use-records.ts";
import { amountOf, centsOf, countOf, priceOf } from "../format.ts";
import type { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { OpenedDialog } from "../parts/opened-dialog.tsx";
import type { Opened, Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

type Shared = {
  readonly communityId: number;
  readonly stats: Stats | undefined;
  readonly onClose: () => void;
  readonly onDone: () => void;
};
type Props = Shared & { readonly tier: Tier };

const fields: readonly Field[] = [
  { name: "name", label: "Name", maxLength: 120 },
  { name: "badge", label: "Badge", isOptional: true, maxLength: 40, hint: "Shown to members in place of the name." },
  { name: "trial_days", label: "Free trial in days", kind: "number", hint: "0 for no trial. New members only." },
  { name: "requires_shipping_address", label: "Ask for a shipping address at checkout", kind: "checkbox" },
];
const priceField: Field = {
  name: "monthly_price_dollars",
  label: "Price a month",
  kind: "money",
  hint: "0 for a free tier.",
};

const valuesOf = ({ name, badge, trial_days, requires_shipping_address }: Tier): Values => ({
  name,
  badge: badge ?? "",
  trial_days: String(trial_days),
  requires_shipping_address,
});
const priceValuesOf = ({ monthly_price_dollars }: Tier): Values => ({
  monthly_price_dollars: amountOf(monthly_price_dollars * 100),
});

const priceError = (value: unknown): string | undefined => {
  const cents = centsOf(String(value));
  if (cents === undefined) return "Enter an amount in dollars, such as 12.50.";
  return cents > 0 && cents < 50 ? "The price is 0, or at least $0.50." : undefined;
};
const checkOf = ({ name, trial_days, monthly_price_dollars }: Values) => ({
  name: name === "" ? "Enter a name." : undefined,
  trial_days: /^\d{1,3}$/.test(String(trial_days).trim()) ? undefined : "Enter a number of days from 0 to 730.",
  monthly_price_dollars: monthly_price_dollars === undefined ? undefined : priceError(monthly_price_dollars),
});

/** The fields of a form as the API takes them. */
const bodyOf = (values: Values): TierUpdate["tier"] => ({
  ...("name" in values && { name: String(values.name).trim() }),
  ...("badge" in values && { badge: String(values.badge).trim() || null }),
  ...("trial_days" in values && { trial_days: Number(values.trial_days) }),
  ...("requires_shipping_address" in values && {
    requires_shipping_address: values.requires_shipping_address === true,
  }),
});
const dollarsOf = (values: Values): number => (centsOf(String(values.monthly_price_dollars)) ?? 0) / 100;

/** Reads a tier for a form. */
function useOpened({ tier }: Props, toValues: (tier: Tier) => Values) {
  const odis = useOdis();
  return async (): Promise<Opened & Versioned<Tier>> => {
    const versioned = await readTier(odis, tier.id);
    return { ...versioned, values: toValues(versioned.record) };
  };
}

/** Changes a tier. */
function usePatch({ tier: { id }, onDone }: Props) {
  const odis = useOdis();
  return async (tier: TierUpdate["tier"], etag: string | undefined): Promise<void> => {
    const header = etag === undefined ? {} : { "If-Match": etag };
    await odis.patch("/odis/v1/tiers/{id}", { params: { path: { id }, header }, body: { tier } });
    onDone();
  };
}

export function CreateTier({ communityId, onClose, onDone }: Shared) {
  const odis = useOdis();
  const values = { name: "", monthly_price_dollars: "", badge: "", trial_days: "0", requires_shipping_address: false };
  const [name, ...others] = fields;
  return (
    <FormDialog
      title="Create a tier"
      fields={[...(name ? [name] : []), priceField, ...others]}
      opened={{ values }}
      submit="Create the tier"
      explain={() => <p>People can subscribe to it at once. It goes to the end of the list.</p>}
      check={checkOf}
      done="The tier was created."
      send={async (_, header, given) => {
        const tier = { ...bodyOf(given), name: String(given.name).trim(), monthly_price_dollars: dollarsOf(given) };
        const { status: _status, ...body } = tier;
        await odis.post("/odis/v1/communities/{community_id}/tiers", {
          params: { path: { community_id: communityId }, header },
          body: { tier: body },
        });
        onDone();
      }}
      onClose={onClose}
    />
  );
}

export function EditTier(props: Props) {
  const read = useOpened(props, valuesOf);
  const patch = usePatch(props);
  const title = `Edit ${props.tier.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={props.onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={fields}
          opened={opened}
          submit="Save"
          check={checkOf}
          done="The tier was saved."
          send={async (changed, headers) => patch(bodyOf(changed), headers["If-Match"])}
          reread={read}
          onClose={props.onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function PriceDialog(props: Props) {
  const { tier, stats, onClose } = props;
  const read = useOpened(props, priceValuesOf);
  const patch = usePatch(props);
  const members = stats?.by_tier.find(({ id }) => id === tier.id)?.member_count ?? 0;
  const title = `Change the price of ${tier.name}`;
  const explain = (values: Values) => {
    if (priceError(values.monthly_price_dollars) !== undefined) return <p>Enter a price to see whom it affects.</p>;
    return (
      <>
        <p>
          New members pay {priceOf(dollarsOf(values))} from now on.{" "}
          {members === 0
            ? "The tier has no members who would be affected."
            : `The ${countOf(members, "member")} with access keep the price they joined at: nothing changes for them.`}
        </p>
        <p>Checkout pages that are open now still have the old price.</p>
      </>
    );
  };
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[priceField]}
          opened={opened}
          submit="Change the price"
          explain={explain}
          check={({ monthly_price_dollars }) => ({ monthly_price_dollars: priceError(monthly_price_dollars) })}
          done="The price was changed for new members."
          send={async (_, headers, values) => patch({ monthly_price_dollars: dollarsOf(values) }, headers["If-Match"])}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function ArchiveTier(props: Props) {
  const read = useOpened(props, () => ({}));
  const patch = usePatch(props);
  const { tier, onClose } = props;
  const isActive = tier.status === "active";
  const title = isActive ? `Archive ${tier.name}` : `Offer ${tier.name} again`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[]}
          opened={opened}
          submit={isActive ? "Archive the tier" : "Offer the tier again"}
          explain={() =>
            isActive ? (
              <p>Nobody can subscribe to it any more. Its members keep it, with its benefits, and keep paying.</p>
            ) : (
              <p>People can subscribe to it again, for {priceOf(opened.record.monthly_price_dollars)}.</p>
            )
          }
          done={isActive ? `${tier.name} was archived.` : `${tier.name} is offered again.`}
          send={async (_, headers) => patch({ status: isActive ? "archived" : "active" }, headers["If-Match"])}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}

export function DeleteTier(props: Props) {
  const odis = useOdis();
  const read = useOpened(props, () => ({}));
  const { tier, onClose, onDone } = props;
  const title = `Delete ${tier.name}`;
  return (
    <OpenedDialog title={title} read={read} onClose={onClose}>
      {(opened) => (
        <FormDialog
          title={title}
          fields={[]}
          opened={opened}
          submit="Delete the tier"
          tone="danger"
          explain={() => <p>This cannot be undone. Only a tier that was never used can be deleted.</p>}
          done={`${tier.name} was deleted.`}
          send={async (_, { "If-Match": etag }) => {
            const header = etag === undefined ? {} : { "If-Match": etag };
            await odis.delete("/odis/v1/tiers/{id}", { params: { path: { id: tier.id }, header } });
            onDone();
          }}
          reread={read}
          onClose={onClose}
        />
      )}
    </OpenedDialog>
  );
}
