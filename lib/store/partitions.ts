import type { PartitionName } from "../contract/route.ts";
import { keys, prefixOf } from "./keys.ts";

export type Partition = PartitionName | "usage";

/** How the partition keys start that a function can be confined to (`dynamodb:LeadingKeys`); `*` stands for the rest, `?` for a digit. */
export const partitions: Readonly<Record<Partition, string>> = {
  directory: `${keys.directoryRow(0, 0).pk}*`,
  users: `${prefixOf("user").pk}*`,
  nobody: keys.user(0).pk,
  // Not what lies beside them, as the members of a community do.
  communities: keys.community(0).pk.replaceAll("0", "?"),
  communityLists: `${keys.listedCommunity("active", 0).pk.split("#")[0]}#*`,
  slugs: `${keys.slug("").pk}*`,
  tierParents: keys.tierParent(0).pk.replaceAll("0", "?"),
  subjects: `${keys.subject("").pk}*`,
  usage: `${keys.usage("", "").pk}*`,
};
