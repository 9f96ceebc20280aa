import type { Route } from "./route.ts";

export const stripe = {
  method: "POST",
  path: "/webhooks/stripe",
  summary: "Receive Stripe's events, signed, in any order and however often",
  description:
    "Verified by `Stripe-Signature`. Events about customers of other systems are accepted and ignored. An event is answered 429 while too many others wait, and Stripe delivers it again.",
  access: "public",
  body: "raw",
  problems: ["invalid_signature", "too_many_requests"],
  table: "write",
  billing: "write",
} as const satisfies Route;
