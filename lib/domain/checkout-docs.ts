import { describeFields } from "../values/documented.ts";
import { CheckoutRequest, CheckoutSession, PortalRequest, PortalSession } from "./checkout.ts";

describeFields(CheckoutRequest, {
  tier_id: ["Identifier of the tier to subscribe to.", 11],
  interval: ["Billing period: `year` only if the tier has a yearly price.", "month"],
  success_url: ["URL to return to after the payment. Its origin must be configured.", "https://app.example.com/joined"],
  cancel_url: ["URL to return to without a payment. Its origin must be configured.", "https://app.example.com/tiers"],
});

describeFields(CheckoutSession, {
  id: ["Identifier of the Checkout Session in Stripe.", "cs_test_a1b2c3d4e5f6"],
  url: ["URL of Stripe's page to send the person to.", "https://checkout.stripe.com/c/pay/cs_test_a1b2c3d4e5f6"],
  expires_at: ["Time at which the page stops working.", "2026-11-06T16:20:00.000Z"],
});

describeFields(PortalRequest, {
  return_url: ["URL to return to. Its origin must be configured.", "https://app.example.com/account"],
});

describeFields(PortalSession, {
  url: ["URL of Stripe's page to send the person to.", "https://billing.stripe.com/p/session/example"],
});
