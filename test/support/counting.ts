import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

type Consumed = { CapacityUnits?: number };
type Output = { ConsumedCapacity?: Consumed | Consumed[] };
type Consistency = { readonly ConsistentRead?: boolean };
type ReadInput = Consistency & {
  readonly IndexName?: string;
  readonly RequestItems?: Readonly<Record<string, Consistency>>;
};

/** Traffic since the last count. */
export type Count = {
  /** Number of sequential round trips. Overlapping calls count as one. */
  readonly roundTrips: number;
  readonly calls: readonly string[];
  /** Reads that may return what was stored a second ago: their command, and the index that they read. */
  readonly lateReads: readonly string[];
  /** Read and write capacity units that DynamoDB reports. */
  readonly units: number;
  /** Capacity units of writes. */
  readonly writeUnits: number;
};

/** Counts the calls of a client and the capacity that they consume. */
export function counted(client: DynamoDBDocumentClient): { take(): Count } {
  let roundTrips = 0;
  let underWay = 0;
  let units = 0;
  let writeUnits = 0;
  let calls: string[] = [];
  let lateReads: string[] = [];

  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
        if (underWay++ === 0) roundTrips++;
        calls.push(commandName.replace("Command", ""));
        if (isLateRead(commandName, args.input as ReadInput))
          lateReads.push(`${commandName} ${(args.input as ReadInput).IndexName ?? ""}`);
        try {
          const result = await next(args);
          const { ConsumedCapacity = [] } = result.output as Output;
          for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) {
            units += CapacityUnits;
            if (isWrite(commandName)) writeUnits += CapacityUnits;
          }
          return result;
        } finally {
          underWay--;
        }
      },
    { step: "initialize", priority: "high" },
  );

  return {
    take() {
      const count = { roundTrips, calls, lateReads, units, writeUnits };
      [roundTrips, calls, lateReads, units, writeUnits] = [0, [], [], 0, 0];
      return count;
    },
  };
}

const isWrite = (commandName: string): boolean => /^(Put|Update|Delete|TransactWrite|BatchWrite)/.test(commandName);

function isLateRead(commandName: string, { ConsistentRead, RequestItems }: ReadInput): boolean {
  if (!/^(Get|BatchGet|Query|Scan)/.test(commandName)) return false;
  return RequestItems ? !Object.values(RequestItems).every((batch) => batch.ConsistentRead) : ConsistentRead !== true;
}
