import { Community } from "../domain/community.ts";
import { Stats } from "../domain/stats.ts";
import type { Route } from "./route.ts";

export const show = {
  method: "GET",
  path: "/odis/v1/communities/{id}",
  summary: "Show a community",
  access: "user",
  output: Community,
  etag: true,
  table: "read",
} as const satisfies Route;

export const stats = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/stats",
  summary: "Show how a community does: members, revenue, who joined and left",
  access: "user",
  output: Stats,
  table: "read",
} as const satisfies Route;
