import { randomUUID } from "node:crypto";
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { connect, documents, type Writer } from "#lib/store/table.ts";
import { createTable, startDynamoDB } from "../local/dynamodb.ts";
import { startS3 } from "../local/s3.ts";

export type BenchTable = {
  readonly name: string;
  readonly client: DynamoDBDocumentClient;
  readonly table: Writer;
  /** What a function's environment says of the table. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
};

/** An empty table in memory, which this process and whoever is given `env` connects to. */
export async function startTable(): Promise<BenchTable> {
  const name = `odis-bench-${randomUUID()}`;
  const credentials = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  // A line a request would stand between the tables, and one caller makes all of them.
  Object.assign(process.env, credentials, { LOG_LEVEL: "error", THROTTLE: "off" });
  const engine = await startDynamoDB();
  const s3 = await startS3({ secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY });
  const env = {
    ...credentials,
    AWS_ENDPOINT_URL_DYNAMODB: engine.endpoint,
    AWS_ENDPOINT_URL_S3: s3.url,
    TABLE_NAME: name,
    SNAPSHOTS_BUCKET: "odis-bench",
  };
  Object.assign(process.env, env);
  await createTable(engine.endpoint, name, { stream: false });
  const client = documents();
  return {
    name,
    client,
    table: connect(client, name)(),
    env,
    async stop() {
      client.destroy();
      await engine.stop();
      await s3.close();
    },
  };
}
