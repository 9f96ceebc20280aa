import * as brands from "../store/brands.ts";
import type { Reader } from "../store/table.ts";

/** A brand that is linked to the producer in the path. */
export async function brandInPath({
  params,
  table,
}: {
  readonly params: { readonly producer_id: string; readonly id: string };
  readonly table: Reader;
}) {
  const record = (await brands.find(table, params.producer_id, params.id)) ?? null;
  return { record, shown: record };
}
