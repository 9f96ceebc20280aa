import { type Key, prefixOf } from "../store/keys.ts";

/** The items that cause events, by the prefix of their keys. */
export const sources: readonly Key[] = (["member", "benefit", "brand"] as const).map(prefixOf);
