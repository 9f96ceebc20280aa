import { Community } from "../domain/community.ts";
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
