import { type Key, prefixOf } from "../store/keys.ts";

/**
 * The items that events are told of, by how their keys start; and audit entries, which say for the log which request made
 * a change.
 */
export const sources: readonly Key[] = (["member", "benefit", "brand", "activity"] as const).map(prefixOf);
