import { ListingPage, ListingQuery } from "../domain/listing.ts";
import type { Route } from "./route.ts";

export const explore = {
  method: "GET",
  path: "/api/v1/communities/explore",
  access: "optional",
  personal: { filter: "my_communities" },
  query: ListingQuery,
  output: ListingPage,
  table: "read",
  partitions: ["directory", "users", "subjects"],
  snapshots: true,
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  explore: "Search communities, and show which ones the caller belongs to",
} as const;
