import { openSealing } from "#lib/delivery/sealing.ts";
import { csvOf } from "#lib/http/csv.ts";
import type { Mount } from "#lib/http/handler.ts";
import { idempotent } from "#lib/http/idempotency.ts";
import { limit } from "#lib/http/limit.ts";
import { machine } from "#lib/runtime.ts";
import { addressOf } from "./given.ts";

/** The platform of endpoints outside a bundle: all optional modules of routes, and the machine's clock and randomness. */
export const mountOn = (over: Pick<Mount, "table" | "identify"> & Partial<Mount>): Mount => ({
  ...machine,
  idempotent,
  limit,
  csv: csvOf,
  sealing: openSealing,
  enqueue: async () => {},
  // The subs of callers are those of `invoke`.
  addressOf: async ({ sub }) => (sub.startsWith("sub of ") ? addressOf({ id: Number(sub.slice(7)) }) : undefined),
  ...over,
});
