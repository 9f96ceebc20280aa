import { ActivityQuery, BrandActivityPage } from "../domain/activity.ts";
import { Brand, BrandCreate, BrandListQuery, BrandPage, BrandUpdate } from "../domain/brand.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/producers/{producer_id}/brands",
  access: "user",
  ids: "uuid",
  query: BrandListQuery,
  output: BrandPage,
  table: "read",
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/producers/{producer_id}/brands",
  access: "editor",
  ids: "uuid",
  body: BrandCreate,
  status: 201,
  output: Brand,
  location: "/odis/v1/producers/{producer_id}/brands/{id}",
  etag: true,
  problems: ["limit_reached"],
  table: "write",
} as const satisfies Route;

export const show = {
  method: "GET",
  path: "/odis/v1/producers/{producer_id}/brands/{id}",
  access: "user",
  ids: "uuid",
  output: Brand,
  etag: true,
  table: "read",
} as const satisfies Route;

export const update = {
  method: "PATCH",
  path: "/odis/v1/producers/{producer_id}/brands/{id}",
  access: "editor",
  ids: "uuid",
  body: BrandUpdate,
  output: Brand,
  etag: true,
  problems: ["limit_reached"],
  table: "write",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/producers/{producer_id}/brands/{id}",
  access: "editor",
  ids: "uuid",
  status: 204,
  record: Brand,
  table: "write",
} as const satisfies Route;

export const activity = {
  method: "GET",
  path: "/odis/v1/producers/{producer_id}/brands/{id}/activity",
  access: "editor",
  ids: "uuid",
  query: ActivityQuery,
  output: BrandActivityPage,
  cursor: true,
  table: "read",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: "List the brands of a producer",
  create: "Create a brand, linked to the producer and optionally to others",
  show: "Show a brand",
  update: "Rename a brand or replace the producers it is linked to",
  remove: "Delete a brand and all of its links",
  activity: [
    "List the activity of a brand, newest first",
    "The activity of a brand cannot be read once the brand is deleted.",
  ],
} as const;
