import { TierListQuery, TierPage } from "../domain/tier.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/tiers",
  summary: "List the membership tiers of a community",
  access: "user",
  query: TierListQuery,
  output: TierPage,
  table: "read",
} as const satisfies Route;
