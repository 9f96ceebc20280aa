import { ApiKey, ApiKeyCreate, ApiKeyListQuery, ApiKeyPage, ApiKeyWithKey } from "../domain/api-key.ts";
import type { Route } from "./route.ts";

export const list = {
  method: "GET",
  path: "/odis/v1/communities/{community_id}/api_keys",
  access: "owner",
  query: ApiKeyListQuery,
  output: ApiKeyPage,
  table: "read",
} as const satisfies Route;

export const create = {
  method: "POST",
  path: "/odis/v1/communities/{community_id}/api_keys",
  access: "owner",
  body: ApiKeyCreate,
  status: 201,
  output: ApiKeyWithKey,
  location: "/odis/v1/api_keys/{id}",
  etag: true,
  problems: ["limit_reached"],
  table: "write",
  seals: true,
  // Each key has rate limits of its own.
  limited: "keys",
} as const satisfies Route;

export const remove = {
  method: "DELETE",
  path: "/odis/v1/api_keys/{id}",
  access: "user",
  status: 204,
  record: ApiKey,
  table: "write",
} as const satisfies Route;

/** The texts of each route in the API reference. */
export const docs = {
  list: ["List the valid API keys of a community", "Oldest first. Revoked and expired keys are not listed."],
  create: [
    "Create an API key",
    "For servers that call the API for the community without a person. Store the `key`: later responses do not show it. The key works on the routes of its community that its role allows. It belongs to the community: it remains valid if the person who created it leaves, and ends with a change of owner. A community has at most 20 valid keys.",
  ],
  remove: [
    "Revoke an API key",
    "Requests with the key are refused from now on. For the owner of its community and admins. To anybody else it does not exist.",
  ],
} as const;
