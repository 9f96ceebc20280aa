import { activity } from "#lib/contract/brands.ts";
import { brandInPath } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import { listOfBrand } from "#lib/store/activity.ts";

export const handler = endpoint(
  activity,
  { guard: brandInPath, read: ({ params, query, table }) => listOfBrand(table, params.id, query) },
  ({ read }) => read,
);
