import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as v from "valibot";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Reader } from "./table.ts";
import type { Write } from "./write.ts";

/** One item's change, as the table's stream tells it. */
export type StreamRecord = {
  readonly eventId: string;
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
};

const Image = v.custom<Record<string, AttributeValue>>((value) => typeof value === "object" && value !== null);

const Wire = v.object({
  eventID: v.string(),
  dynamodb: v.object({ Keys: Image, OldImage: v.optional(Image), NewImage: v.optional(Image) }),
});

const KeyItem = v.object({ pk: v.string(), sk: v.string() });

/** @throws Error for what is no record of our table */
export function recordFrom(wire: unknown): StreamRecord {
  const {
    eventID,
    dynamodb: { Keys, OldImage, NewImage },
  } = v.parse(Wire, wire);
  return {
    eventId: eventID,
    key: v.parse(KeyItem, unmarshall(Keys)),
    before: OldImage && unmarshall(OldImage),
    after: NewImage && unmarshall(NewImage),
  };
}

/** Twice as long as DynamoDB keeps a record in the stream. */
const rememberedSeconds = 48 * 60 * 60;

/** Marks a record as counted, in the transaction that counts it; `otherwise` is thrown where it has been already. */
export const markSeen = (eventId: string, now: Date, otherwise: Error): Write => ({
  put: { ...keys.streamRecord(eventId), expires_at: Math.floor(now.getTime() / 1000) + rememberedSeconds },
  when: "absent",
  otherwise,
});

/** Those of the records that have been counted. */
export async function seenOf(table: Reader, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  const keyed = new Map(eventIds.map((eventId) => [keys.streamRecord(eventId).pk, eventId]));
  const found = await table.getAll(eventIds.map(keys.streamRecord));
  return new Set(found.flatMap(({ pk }) => keyed.get(String(pk)) ?? []));
}
