import { type Key, prefixOf } from "../store/keys.ts";

/**
 * The items that projections and the copies of profiles are made from, by how their keys start. The rest of the stream, most of it what the
 * projections write themselves, is dropped before it costs anything.
 */
export const sources: readonly Key[] = (["member", "movement", "barrier", "community", "tier", "user"] as const).map(
  prefixOf,
);
