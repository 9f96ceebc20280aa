import * as v from "valibot";
import { validationFailed } from "../problem.ts";
import { documented } from "./documented.ts";
import { Id, Timestamp } from "./scalars.ts";

const Redirect = v.pipe(v.string(), v.maxLength(2000), v.url("must be an address"));

export const CheckoutRequest = documented(
  v.strictObject({ tier_id: Id, success_url: Redirect, cancel_url: Redirect }),
  {
    tier_id: ["Identifier of the tier to subscribe to.", 11],
    success_url: [
      "URL to return to after the payment. Its origin must be configured.",
      "https://app.example.com/joined",
    ],
    cancel_url: ["URL to return to without a payment. Its origin must be configured.", "https://app.example.com/tiers"],
  },
);
export type CheckoutRequest = v.InferOutput<typeof CheckoutRequest>;

export const CheckoutSession = documented(v.object({ id: v.string(), url: v.string(), expires_at: Timestamp }), {
  id: ["Identifier of the Checkout Session at Stripe.", "cs_test_a1b2c3d4e5f6"],
  url: ["URL of Stripe's page to send the person to.", "https://checkout.stripe.com/c/pay/cs_test_a1b2c3d4e5f6"],
  expires_at: ["Time at which the page stops working.", "2026-11-06T16:20:00.000Z"],
});

export const PortalRequest = documented(v.strictObject({ return_url: Redirect }), {
  return_url: ["URL to return to. Its origin must be configured.", "https://app.example.com/account"],
});

export const PortalSession = documented(v.object({ url: v.string() }), {
  url: ["URL of Stripe's page to send the person to.", "https://billing.stripe.com/p/session/example"],
});

/**
 * People are sent back only to addresses of our own applications.
 *
 * @throws Problem `validation_failed`, naming each field whose address is of another origin
 */
export function assertOurOrigins(addresses: Readonly<Record<string, string>>, origins: readonly string[]): void {
  const foreign = Object.entries(addresses).filter(([, address]) => !origins.includes(new URL(address).origin));
  if (foreign.length === 0) return;
  throw validationFailed(
    foreign.map(([name]) => ({
      pointer: `/${name}`,
      code: "foreign_origin",
      message: "must be of a configured origin",
    })),
  );
}
