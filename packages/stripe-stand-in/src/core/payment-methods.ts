import type Stripe from "stripe";
import * as v from "valibot";
import type { Account } from "./account.ts";
import { notFound } from "./failure.ts";
import { list } from "./objects/common.ts";

type Configuration = Stripe.PaymentMethodConfiguration;

const preferred = v.optional(
  v.strictObject({ display_preference: v.strictObject({ preference: v.picklist(["none", "off", "on"]) }) }),
);
export const MethodsUpdate = v.strictObject({ us_bank_account: preferred, sepa_debit: preferred });

const defaultId = "pmc_fake_default";

const method = (value: "on" | "off") => ({
  available: value === "on",
  display_preference: { overridable: null, preference: value, value },
});

/** The payment methods that Checkout offers. Default: cards. All payments of the stand-in are by card. */
const current = (account: Account): Configuration =>
  account.get("payment_method_configuration", defaultId) ?? {
    id: defaultId,
    object: "payment_method_configuration",
    active: true,
    application: null,
    card: method("on"),
    is_default: true,
    livemode: false,
    name: "Default",
    parent: null,
    sepa_debit: method("off"),
    us_bank_account: method("off"),
  };

export const listMethods = (account: Account) => list("/v1/payment_method_configurations", [current(account)]);

/** Enables and disables methods of the only configuration. @throws ApiFailure 404 for another id */
export function updateMethods(account: Account, id: string, params: v.InferOutput<typeof MethodsUpdate>) {
  if (id !== defaultId) throw notFound("payment_method_configuration", id);
  const changed = Object.entries(params).flatMap(([name, given]) =>
    given ? [[name, method(given.display_preference.preference === "on" ? "on" : "off")] as const] : [],
  );
  const updated: Configuration = { ...current(account), ...Object.fromEntries(changed) };
  account.put("payment_method_configuration", updated);
  return updated;
}
