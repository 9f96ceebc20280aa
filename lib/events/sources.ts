import { type Key, type Kind, prefixOf } from "../store/keys.ts";
import type { Area } from "./rules.ts";

/** The kind of item that events of each area are derived from. An area without one does not compile. */
const kinds: Readonly<Record<Area, Kind>> = {
  access: "member",
  member: "member",
  payment: "member",
  refund: "member",
  dispute: "member",
  community: "community",
  tier: "tier",
  benefit: "benefit",
  event_destination: "destination",
  brand: "brand",
};

/**
 * The items that events are derived from, by how their keys start; and audit entries, which say for the log which request
 * made a change.
 */
export const sources: readonly Key[] = [...new Set<Kind>([...Object.values(kinds), "activity"])].map(prefixOf);
