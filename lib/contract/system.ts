import { Health } from "../domain/health.ts";
import type { Route } from "./route.ts";

export const health = {
  method: "GET",
  path: "/health",
  summary: "Check that the service is up, and get its version and stage",
  access: "public",
  output: Health,
} as const satisfies Route;

/** Answers what no route takes: 404, or 405 with the methods that the path does take. */
export const fallback = {
  method: "ANY",
  path: "$default",
  summary: "Answer requests that match no route",
  access: "public",
  problems: ["route_not_found", "method_not_allowed"],
} as const satisfies Route;
