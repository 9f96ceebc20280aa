import { type Key, prefixOf } from "../store/keys.ts";

/**
 * Key prefixes of the items from which projections and copies of profiles are made. The stream's filter drops all other
 * records, most of which are writes of the projections.
 */
export const sources: readonly Key[] = (["member", "movement", "barrier", "community", "tier", "user"] as const).map(
  prefixOf,
);
