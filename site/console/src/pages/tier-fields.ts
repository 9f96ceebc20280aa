import type { Stats, Tier, TierUpdate } from "../data/odis.ts";
import { openedBy, readTier } from "../data/use-records.ts";
import { ifMatch, type WriteHeaders } from "../data/use-write.ts";
import { amountOf, centsOf, moneyOf } from "../format.ts";
import { nameError } from "../parts/checks.ts";
import type { Field } from "../parts/field.tsx";
import type { Values } from "../parts/values.ts";
import { useOdis } from "../session.tsx";

export type TiersProps = {
  readonly communityId: number;
  readonly stats: Stats | undefined;
  readonly onClose: () => void;
};
export type TierProps = TiersProps & { readonly tier: Tier };

export const nameField: Field = { name: "name", label: "Name" };
export const otherFields: readonly Field[] = [
  { name: "badge", label: "Badge", isOptional: true, hint: "Shown to members in place of the name." },
  {
    name: "trial_days",
    label: "Free trial in days",
    kind: "number",
    hint: "0 for no trial. Applies to new members only.",
  },
  { name: "requires_shipping_address", label: "Ask for a shipping address at checkout", kind: "checkbox" },
];
export const priceFields: readonly Field[] = [
  { name: "monthly_price_dollars", label: "Price per month", kind: "money", hint: "0 for a free tier." },
  {
    name: "yearly_price_dollars",
    label: "Price per year",
    kind: "money",
    isOptional: true,
    hint: "People choose between both at checkout. Leave it empty to sell the tier by the month only.",
  },
];

export const valuesOf = ({ name, badge, trial_days, requires_shipping_address }: Tier): Values => ({
  name,
  badge: badge ?? "",
  trial_days: String(trial_days),
  requires_shipping_address,
});
export const priceValuesOf = ({ monthly_price_dollars, yearly_price_dollars }: Tier): Values => ({
  monthly_price_dollars: amountOf(monthly_price_dollars * 100),
  yearly_price_dollars: yearly_price_dollars === null ? "" : amountOf(yearly_price_dollars * 100),
});

const amountError = `Enter an amount in dollars, such as ${amountOf(1250)}.`;

export function priceErrorsOf({ monthly_price_dollars, yearly_price_dollars }: Values) {
  const monthly = centsOf(String(monthly_price_dollars));
  const yearly = centsOf(String(yearly_price_dollars));
  const isYearly = String(yearly_price_dollars).trim() !== "";
  return {
    monthly_price_dollars:
      monthly === undefined
        ? amountError
        : monthly > 0 && monthly < 50
          ? `Enter 0, or at least ${moneyOf(50)}.`
          : undefined,
    yearly_price_dollars: isYearly ? yearlyError(yearly, monthly) : undefined,
  };
}

function yearlyError(yearly: number | undefined, monthly: number | undefined): string | undefined {
  if (yearly === undefined) return amountError;
  if (monthly === 0) return "A free tier has no yearly price.";
  return yearly < 50 ? `Enter at least ${moneyOf(50)}, or nothing.` : undefined;
}
export const errorsOf = (values: Values) => ({
  name: nameError(values.name),
  trial_days: /^\d{1,3}$/.test(String(values.trial_days).trim()) ? undefined : "Enter a number of days from 0 to 730.",
});

/** The fields of a form as the API takes them. */
export const bodyOf = (values: Values): TierUpdate["tier"] => ({
  ...("name" in values && { name: String(values.name).trim() }),
  ...("badge" in values && { badge: String(values.badge).trim() || null }),
  ...("trial_days" in values && { trial_days: Number(values.trial_days) }),
  ...("requires_shipping_address" in values && {
    requires_shipping_address: values.requires_shipping_address === true,
  }),
});

/** The prices of a form as the API takes them. */
export const pricesOf = ({ monthly_price_dollars, yearly_price_dollars }: Values) => {
  const yearly = centsOf(String(yearly_price_dollars));
  return {
    monthly_price_dollars: (centsOf(String(monthly_price_dollars)) ?? 0) / 100,
    yearly_price_dollars: yearly === undefined ? null : yearly / 100,
  };
};

/** Reads a tier for a form. */
export function useRead({ tier: { id } }: TierProps, toValues?: (tier: Tier) => Values) {
  const odis = useOdis();
  return openedBy(() => readTier(odis, id), toValues);
}

/** Changes a tier. */
export function usePatch({ tier: { id } }: TierProps) {
  const odis = useOdis();
  return async (tier: TierUpdate["tier"], headers: WriteHeaders): Promise<void> => {
    const params = { path: { id }, header: ifMatch(headers) };
    await odis.patch("/odis/v1/tiers/{id}", { params, body: { tier } });
  };
}
