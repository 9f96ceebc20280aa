import { Membership } from "../domain/membership.ts";
import type { Route } from "./route.ts";

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/membership",
  summary: "Show the caller's own membership and whether it grants access",
  access: "user",
  output: Membership,
  table: "read",
} as const satisfies Route;
