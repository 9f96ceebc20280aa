import { createHash } from "node:crypto";
import * as v from "valibot";
import { type Odis, OdisProblem } from "../odis.ts";
import type { Kind } from "./import.ts";
import type { Outcome } from "./journal.ts";

const BrandRecord = v.strictObject({ name: v.string(), producer_ids: v.optional(v.array(v.string())) });

/**
 * Imports brands of a producer. The idempotency key of a brand is made of its row, so a row that is sent again within a
 * day creates no second brand. The journal skips the rows of earlier runs.
 */
export function brandImport(odis: Odis, producer_id: string): Kind {
  return {
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
            return { outcome: "refused", errors: [{ code: error.code, message: error.message }, ...error.errors] };
          }
        }),
      ),
  };
}
