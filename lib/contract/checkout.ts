import { CheckoutRequest, CheckoutSession, PortalRequest, PortalSession } from "../domain/checkout.ts";
import type { Route } from "./route.ts";

export const createSession = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/checkout_sessions",
  access: "user",
  body: CheckoutRequest,
  status: 201,
  output: CheckoutSession,
  problems: ["community_archived", "member_blocked", "already_a_member", "unknown_tier"],
  table: "write",
  billing: "write",
  redirects: true,
  limited: "money",
} as const satisfies Route;

export const createPortalSession = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/billing_portal_sessions",
  access: "user",
  body: PortalRequest,
  status: 201,
  output: PortalSession,
  problems: ["no_subscription"],
  table: "write",
  billing: "write",
  redirects: true,
  limited: "money",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  createSession: [
    "Open Stripe's hosted checkout for a membership tier",
    "Opening a session expires the person's earlier sessions in the community.",
  ],
  createPortalSession: "Open Stripe's billing portal, where people manage their card and subscription",
} as const;
