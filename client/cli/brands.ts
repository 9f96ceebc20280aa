import { createHash } from "node:crypto";
import * as v from "valibot";
import { type Odis, OdisProblem } from "../odis.ts";
import { columnsOf } from "./columns.ts";
import type { Kind } from "./import.ts";
import type { Outcome } from "./journal.ts";

const BrandRecord = v.strictObject({ name: v.string(), producer_ids: v.optional(v.array(v.string())) });

const withinRecord = (errors: OdisProblem["errors"]) =>
  errors.map(({ pointer = "", code, message }) => ({ pointer: pointer.replace(/^\/brand/, ""), code, message }));

/**
 * Imports brands of a producer. The idempotency key of a brand is made of its row, so a row that is sent again within a
 * day creates no second brand. The journal skips the rows of earlier runs.
 */
export function brandImport(odis: Odis, producer_id: string): Kind {
  return {
    columns: columnsOf(BrandRecord.entries),
    schema: BrandRecord,
    target: `producer ${producer_id}`,
    send: (rows) =>
      Promise.all(
        rows.map(async ({ line, record }): Promise<Outcome> => {
          const key = createHash("sha256")
            .update(JSON.stringify([producer_id, line, record]))
            .digest("base64url");
          const params = { path: { producer_id }, header: { "Idempotency-Key": `import-${key}` } };
          try {
            await odis.post("/odis/v1/producers/{producer_id}/brands", {
              params,
              body: { brand: v.parse(BrandRecord, record) },
            });
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
