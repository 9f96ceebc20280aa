import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as v from "valibot";
import type { Item } from "./expression.ts";
import { type Key, keys } from "./keys.ts";
import type { Redriven } from "./set-aside.ts";
import type { Reader, Write } from "./table.ts";

/** A change of one item, from the table's stream. */
export type StreamRecord = {
  readonly eventId: string;
  readonly key: Key;
  /** Time of the change, in whole seconds. */
  readonly at: string;
  readonly before: Item | undefined;
  readonly after: Item | undefined;
};

/** The attributes of an item. Lambda receives binary values as base64 text. */
const Image = v.pipe(
  v.custom<Record<string, AttributeValue>>((value) => typeof value === "object" && value !== null),
  v.transform((image) => Object.fromEntries(Object.entries(image).map(([name, value]) => [name, withBytes(value)]))),
);

function withBytes(value: AttributeValue): AttributeValue {
  const bytes = (text: unknown) => Buffer.from(text as string, "base64");
  if (value.B) return { B: bytes(value.B) };
  return value.BS ? { BS: value.BS.map(bytes) } : value;
}

const Wire = v.object({
  eventID: v.string(),
  dynamodb: v.object({
    Keys: Image,
    ApproximateCreationDateTime: v.number(),
    OldImage: v.optional(Image),
    NewImage: v.optional(Image),
  }),
});

const KeyItem = v.object({ pk: v.string(), sk: v.string() });

/** @throws Error if the input is not a record of the table's stream */
export function recordFrom(wire: unknown): StreamRecord {
  const {
    eventID,
    dynamodb: { Keys, ApproximateCreationDateTime, OldImage, NewImage },
  } = v.parse(Wire, wire);
  return {
    eventId: eventID,
    key: v.parse(KeyItem, unmarshall(Keys)),
    at: new Date(ApproximateCreationDateTime * 1000).toISOString(),
    before: OldImage && unmarshall(OldImage),
    after: NewImage && unmarshall(NewImage),
  };
}

const day = 24 * 60 * 60;
/** Seconds: twice as long as DynamoDB keeps a record in the stream, and longer than the bucket keeps a failed record. */
const remembered = { streamed: 2 * day, redriven: 36 * day };

/** Marks a record as counted, in the transaction that counts it. Throws `otherwise` if it has been counted before. */
export const markSeen = (
  eventId: string,
  { now, isRedriven, otherwise }: Redriven & { readonly now: Date; readonly otherwise: Error },
): Write => ({
  put: {
    ...keys.streamRecord(eventId),
    expires_at: Math.floor(now.getTime() / 1000) + remembered[isRedriven ? "redriven" : "streamed"],
  },
  when: "absent",
  otherwise,
});

/** The ids of the records that have been counted. */
export async function seenOf(table: Reader, eventIds: readonly string[]): Promise<ReadonlySet<string>> {
  const keyed = new Map(eventIds.map((eventId) => [keys.streamRecord(eventId).pk, eventId]));
  const found = await table.getAll(eventIds.map(keys.streamRecord));
  return new Set(found.flatMap(({ pk }) => keyed.get(String(pk)) ?? []));
}
