import { type Key, prefixOf } from "../store/keys.ts";

/**
 * The items that projections are made from, by how their keys start. The rest of the stream, most of it what the
 * projections write themselves, is dropped before it costs anything.
 */
export const sources: readonly Key[] = (["member", "barrier", "community", "tier"] as const).map(prefixOf);
