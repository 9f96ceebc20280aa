import * as brands from "../store/brands.ts";
import type { Reader } from "../store/table.ts";

type Ask = { readonly params: { readonly producer_id: string; readonly id: string }; readonly table: Reader };

/** Whoever the route lets in, for a brand that is linked to the producer of the path. */
export async function linkedBrand({ params, table }: Ask) {
  const record = (await brands.find(table, params.producer_id, params.id)) ?? null;
  return { record, shown: record };
}
