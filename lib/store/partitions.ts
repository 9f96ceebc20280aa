import type { PartitionName } from "../contract/route.ts";
import { keys, prefixOf } from "./keys.ts";

export type Partition = PartitionName | "apiKeys" | "eventLists" | "events" | "usage";

/** Patterns of partition keys to which a function's access can be limited (`dynamodb:LeadingKeys`). `?` is a digit. */
export const partitions: Readonly<Record<Partition, string>> = {
  directory: `${keys.directoryRow(0, 0).pk}*`,
  users: `${prefixOf("user").pk}*`,
  nobody: keys.user(0).pk,
  // This pattern does not match other partitions of a community, such as the partition of its members.
  communities: keys.community(0).pk.replaceAll("0", "?"),
  communityLists: `${keys.listedCommunity("active", 0).pk.split("#")[0]}#*`,
  slugs: `${keys.slug("").pk}*`,
  tierParents: keys.tierParent(0).pk.replaceAll("0", "?"),
  subjects: `${keys.subject("").pk}*`,
  apiKeys: `${prefixOf("apiKey").pk}*`,
  eventLists: keys.eventCount(0).pk.replaceAll("0", "?"),
  events: `${keys.event("").pk}*`,
  usage: `${keys.usage("", "").pk}*`,
};
