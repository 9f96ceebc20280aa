import { type Key, type Kind, prefixOf } from "../store/keys.ts";
import type { Area } from "./rules.ts";

/** The kind of item from which the events of each area are derived. */
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
 * Key prefixes of the items from which events are derived, and of audit entries, from which the log gets the ids of
 * requests.
 */
export const sources: readonly Key[] = [...new Set<Kind>([...Object.values(kinds), "activity"])].map(prefixOf);
