import type { Route } from "../contract/route.ts";
import { keys, prefixOf } from "./keys.ts";

export type Partition = NonNullable<Route["partitions"]>[number] | "usage";

/** How the partition keys start that a function can be confined to (`dynamodb:LeadingKeys`); `*` stands for the rest. */
export const partitions: Readonly<Record<Partition, string>> = {
  directory: `${keys.directoryRow(0, 0).pk}*`,
  users: `${prefixOf("user").pk}*`,
  subjects: `${keys.subject("").pk}*`,
  usage: `${keys.usage("", "").pk}*`,
};
