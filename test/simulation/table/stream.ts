import type { Item } from "./attribute-value.ts";

/** A change of an item, in the form in which Lambda passes stream records to functions. */
export type StreamRecord = {
  readonly eventID: string;
  readonly eventName: "INSERT" | "MODIFY" | "REMOVE";
  readonly eventVersion: "1.1";
  readonly eventSource: "aws:dynamodb";
  readonly awsRegion: string;
  readonly dynamodb: {
    readonly ApproximateCreationDateTime: number;
    readonly Keys: Item;
    readonly NewImage?: Item;
    readonly OldImage?: Item;
    readonly SequenceNumber: string;
    readonly SizeBytes: number;
    readonly StreamViewType: "NEW_AND_OLD_IMAGES";
  };
};

export type Change = { readonly key: Item; readonly before: Item | undefined; readonly after: Item | undefined };

/** The stream of a table. A write that changes nothing adds no record. */
export class Stream {
  readonly records: StreamRecord[] = [];
  readonly #now: () => number;
  /** Called with each new record. */
  onAppend: (record: StreamRecord) => void = () => {};

  constructor(now: () => number) {
    this.#now = now;
  }

  append({ key, before, after }: Change): void {
    const same = JSON.stringify(before) === JSON.stringify(after);
    if (same || (!before && !after)) return;
    const number = String(this.records.length + 1).padStart(21, "0");
    const record: StreamRecord = {
      eventID: `event${number}`,
      eventName: before ? (after ? "MODIFY" : "REMOVE") : "INSERT",
      eventVersion: "1.1",
      eventSource: "aws:dynamodb",
      awsRegion: "eu-central-1",
      dynamodb: {
        ApproximateCreationDateTime: Math.floor(this.#now() / 1000),
        Keys: key,
        ...(after && { NewImage: after }),
        ...(before && { OldImage: before }),
        SequenceNumber: number,
        SizeBytes: 100,
        StreamViewType: "NEW_AND_OLD_IMAGES",
      },
    };
    this.records.push(record);
    this.onAppend(record);
  }
}
