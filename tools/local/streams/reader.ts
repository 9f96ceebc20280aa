import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as v from "valibot";

const Text = v.object({ S: v.string() });

/** A record of the stream with values in DynamoDB's wire format, as Lambda passes it on. */
const StreamRecord = v.looseObject({
  eventID: v.string(),
  dynamodb: v.looseObject({ Keys: v.object({ pk: Text, sk: Text }), SequenceNumber: v.string() }),
});
export type StreamRecord = v.InferOutput<typeof StreamRecord>;

const Description = v.object({
  StreamDescription: v.object({
    Shards: v.array(v.object({ ShardId: v.string() })),
    LastEvaluatedShardId: v.nullish(v.string()),
  }),
});
const Iterator = v.object({ ShardIterator: v.string() });
const Records = v.object({ Records: v.array(StreamRecord) });

/** Opens the stream of a table of an engine on this machine. */
export async function openStream(endpoint: string, tableName: string) {
  const arn = await arnOf(endpoint, tableName);

  return {
    /** Returns the shards, with parents before their children. */
    async shards(): Promise<string[]> {
      const ids: string[] = [];
      let after: string | null | undefined;
      do {
        const input = { StreamArn: arn, ...(after && { ExclusiveStartShardId: after }) };
        const { StreamDescription } = v.parse(Description, await ask(endpoint, "DescribeStream", input));
        ids.push(...StreamDescription.Shards.map(({ ShardId }) => ShardId));
        after = StreamDescription.LastEvaluatedShardId;
      } while (after);
      return ids;
    },

    /** Reads the next records of a shard, after the given sequence number or from the oldest record. */
    async read(shard: string, after: string | undefined): Promise<StreamRecord[]> {
      const from =
        after === undefined
          ? { ShardIteratorType: "TRIM_HORIZON" }
          : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber: after };
      const input = { StreamArn: arn, ShardId: shard, ...from };
      const { ShardIterator } = v.parse(Iterator, await ask(endpoint, "GetShardIterator", input));
      return v.parse(Records, await ask(endpoint, "GetRecords", { ShardIterator })).Records;
    },
  };
}

async function arnOf(endpoint: string, TableName: string): Promise<string> {
  const client = new DynamoDBClient({ endpoint });
  try {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    if (!Table?.LatestStreamArn) throw new Error(`The table ${TableName} has no stream`);
    return Table.LatestStreamArn;
  } finally {
    client.destroy();
  }
}

/** Calls the engine without the SDK, which would convert the values that Lambda passes on unchanged. */
async function ask(endpoint: string, operation: string, body: object): Promise<unknown> {
  const { AWS_REGION: region = "local", AWS_ACCESS_KEY_ID: key = "local" } = process.env;
  const scope = `${key}/20250101/${region}/dynamodb/aws4_request`;
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDBStreams_20120810.${operation}`,
      // Engines require signature headers and do not check them.
      "x-amz-date": "20250101T000000Z",
      authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${operation}: ${response.status} ${await response.text()}`);
  return response.json();
}
