import { openSealing } from "#lib/delivery/sealing.ts";
import { csvOf } from "#lib/http/csv.ts";
import type { Mount } from "#lib/http/handler.ts";
import { idempotent } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { machine } from "#lib/runtime.ts";

/** What endpoints run on outside of a bundle: every part that a route may need, and the machine's time and chance. */
export const mountOn = (over: Pick<Mount, "table" | "identify"> & Partial<Mount>): Mount => ({
  ...machine,
  idempotent,
  limit,
  csv: csvOf,
  sealing: openSealing,
  enqueue: async () => {},
  ...over,
});
