import type { Route } from "./route.ts";

export const stripe = {
  method: "POST",
  path: "/webhooks/stripe",
  access: "public",
  body: "raw",
  problems: ["invalid_signature", "too_many_requests"],
  table: "write",
  billing: "write",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  stripe: [
    "Receive signed events from Stripe",
    "The `Stripe-Signature` header is verified. Events may arrive in any order and more than once. Events about customers of other systems are accepted and ignored. If too many events are waiting, the response is 429, and Stripe delivers the event again.",
  ],
} as const;
