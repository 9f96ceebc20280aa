import { show } from "#lib/contract/brands.ts";
import { linkedBrand } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";

export const handler = endpoint(show, linkedBrand, ({ record }) => record);
