import { remove } from "#lib/contract/brands.ts";
import { brandInPath } from "#lib/guards/brands.ts";
import { endpoint } from "#lib/http/endpoint.ts";
import * as brands from "#lib/store/brands.ts";

export const handler = endpoint(remove, brandInPath, ({ record, table, actor }) => brands.remove(table, record, actor));
