import { createHash } from "node:crypto";
import * as v from "valibot";
import { type Odis, OdisProblem } from "../odis.ts";
import { columnsOf } from "./columns.ts";
import type { Kind } from "./import.ts";
import type { Outcome } from "./journal.ts";

const BrandRecord = v.strictObject({ name: v.string(), producer_ids: v.optional(v.array(v.string())) });

const withinRecord = (errors: OdisProblem["errors"]) =>
  errors.map(({ pointer = "", code, message }) => ({ pointer: pointer.replace(/^\/brand/, ""), code, message }));

const brands = "/odis/v1/producers/{producer_id}/brands";

/** The name of a record as the API stores it. */
const nameOf = (record: unknown): string => v.parse(BrandRecord, record).name.trim().normalize("NFC");

/**
 * Imports brands of a producer. The nth row with a name creates a brand if the producer has fewer of this name. The idempotency
 * key of a brand does not depend on its line, so a row that is sent again within a day creates no second brand while the first is
 * not listed.
 */
export async function brandImport(odis: Odis, producer_id: string): Promise<Kind> {
  const existing = new Map<string, number>();
  for await (const { name } of odis.iterate(brands, { params: { path: { producer_id } } }))
    existing.set(name, (existing.get(name) ?? 0) + 1);
  return {
    columns: columnsOf(BrandRecord.entries),
    countedBy: nameOf,
    schema: BrandRecord,
    target: `producer ${producer_id}`,
    send: (rows) =>
      Promise.all(
        rows.map(async ({ nth, record }): Promise<Outcome> => {
          if (nth <= (existing.get(nameOf(record)) ?? 0)) return { outcome: "unchanged" };
          const brand = v.parse(BrandRecord, record);
          const key = createHash("sha256")
            .update(JSON.stringify([producer_id, nth, brand]))
            .digest("base64url");
          const params = { path: { producer_id }, header: { "Idempotency-Key": `import-${key}` } };
          try {
            await odis.post(brands, { params, body: { brand } });
            return { outcome: "created" };
          } catch (error) {
            if (!(error instanceof OdisProblem && error.status === 422)) throw error;
            const { code, message } = error;
            return {
              outcome: "refused",
              errors: error.errors.length > 0 ? withinRecord(error.errors) : [{ code, message }],
            };
          }
        }),
      ),
  };
}
