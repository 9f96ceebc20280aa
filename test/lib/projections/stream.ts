import { marshall } from "@aws-sdk/util-dynamodb";
import { consume } from "#lib/projections/consume.ts";
import type { Item } from "#lib/store/expression.ts";
import type { Key } from "#lib/store/keys.ts";
import { itemOf, type StoredMember } from "#lib/store/members/item.ts";
import type { Writer } from "#lib/store/table.ts";

let last = 0;

/** A record in the format of the stream. */
export type Wire = ReturnType<typeof recordOf>;

export function recordOf({ pk, sk }: Key, before: Item | undefined, after: Item | undefined) {
  last += 1;
  return {
    eventID: `event-${last}`,
    dynamodb: {
      Keys: marshall({ pk, sk }),
      ApproximateCreationDateTime: Date.parse("2026-11-21T12:00:00Z") / 1000,
      ...(before && { OldImage: marshall(before) }),
      ...(after && { NewImage: marshall(after) }),
      SequenceNumber: String(last).padStart(21, "0"),
    },
  };
}

/** The record of a change of a member. */
export const memberRecord = (before: StoredMember | undefined, after: StoredMember): Wire =>
  recordOf(itemOf(after), before && itemOf(before), itemOf(after));

/** Delivers a shard in batches, and again from the first failed record on, like Lambda. */
export async function deliverAll(table: Writer, shard: readonly Wire[], now: Date, size = 40): Promise<void> {
  for (let at = 0; at < shard.length; ) {
    const batch = shard.slice(at, at + size);
    const { failed } = await consume(table, batch, now);
    const [first] = failed;
    at += first ? batch.indexOf(first) : batch.length;
  }
}
