import { type Key, prefixOf } from "../store/keys.ts";

/** The items that events are told of, by how their keys start. */
export const sources: readonly Key[] = (["member", "benefit", "brand"] as const).map(prefixOf);
