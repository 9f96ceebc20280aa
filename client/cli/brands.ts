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

const Named = v.object({ name: v.string() });

/** The name of a record as the API stores it, or undefined if it has none. */
const nameOf = (record: unknown): string | undefined =>
  v.is(Named, record) ? record.name.trim().normalize("NFC") : undefined;

/**
 * Imports brands of a producer. The nth row with a name creates a brand if the producer has fewer of this name, and a row of a
 * report if it has fewer than the file had rows with the name. The idempotency key of a brand does not depend on its line, so a row
 * that is sent again within a day creates no second brand while the first is not listed.
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
        rows.map(async ({ nth, key: ownKey = nth, record }): Promise<Outcome> => {
          const brand = v.parse(BrandRecord, record);
          if (nth <= (existing.get(nameOf(brand) ?? "") ?? 0)) return { outcome: "unchanged" };
          const key = createHash("sha256")
            .update(JSON.stringify([producer_id, ownKey, brand]))
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
