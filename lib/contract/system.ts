import { Health } from "../domain/health.ts";
import type { Route } from "./route.ts";

export const health = {
  method: "GET",
  path: "/health",
  access: "public",
  output: Health,
} as const satisfies Route;

/** Handles requests that match no route: 404, or 405 with the methods of the path. */
export const fallback = {
  method: "ANY",
  path: "$default",
  access: "public",
  problems: ["route_not_found", "method_not_allowed"],
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  health: "Check that the service is up, and get its version and stage",
  fallback: "Answer requests that match no route",
} as const;
