import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { findEngine } from "./dynamodb/engine.ts";
import { onFreePort, run } from "./dynamodb/process.ts";
import { indexStream } from "./dynamodb/stream-index.ts";
import { definition, StreamSpecification, timeToLive } from "./dynamodb/table.ts";
import { assertLocal } from "./loopback.ts";

export type Engine = {
  readonly endpoint: string;
  readonly stop: () => Promise<void>;
};

/**
 * Starts a DynamoDB engine on a free port of this machine, with its data in `file` or in memory. Uses
 * `DYNAMODB_ENDPOINT` instead if it is set. Restarts an engine that dies on the same port. The engine ends with this
 * process, however that ends.
 */
export async function startDynamoDB({ file }: { readonly file?: string } = {}): Promise<Engine> {
  assertLocal();
  const { DYNAMODB_ENDPOINT } = process.env;
  if (DYNAMODB_ENDPOINT) return { endpoint: DYNAMODB_ENDPOINT, stop: async () => {} };

  const engine = findEngine();
  const place = file === undefined ? {} : { file: resolve(file) };
  if (place.file) await mkdir(dirname(place.file), { recursive: true });
  const start = (port: number) => run(engine({ ...place, port }), port);

  const { port, started } = await onFreePort(start);
  if (place.file && existsSync(place.file)) indexStream(place.file);
  let current = started;
  let isStopping = false;
  const watching = watch();

  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      isStopping = true;
      await current.stop();
      await watching;
    },
  };

  async function watch(): Promise<void> {
    for (;;) {
      const said = await current.ended;
      if (isStopping) return;
      const loss = place.file ? "" : " Its tables were in memory, and are gone.";
      console.error(`The DynamoDB engine stopped and is being restarted.${loss}\n${said}`);
      try {
        current = await start(port);
      } catch (failure) {
        console.error(failure);
        return;
      }
      if (isStopping) await current.stop();
    }
  }
}

/**
 * Creates the table of `lib/store/keys.ts` as the stack does on AWS, unless it exists. Omit the stream if nobody reads
 * it: the engine keeps every record, and writes become slower with their number.
 *
 * @throws Error if the table exists with other indexes
 */
export async function createTable(endpoint: string, TableName: string, { stream = true } = {}): Promise<void> {
  // The functions' region and credentials, because engines may separate tables by them.
  const {
    AWS_REGION: region = "local",
    AWS_ACCESS_KEY_ID: accessKeyId = "local",
    AWS_SECRET_ACCESS_KEY: secretAccessKey = "local",
  } = process.env;
  const client = new DynamoDBClient({ endpoint, region, credentials: { accessKeyId, secretAccessKey } });
  try {
    await client
      .send(new CreateTableCommand({ TableName, ...definition, ...(stream && { StreamSpecification }) }))
      .catch((error: unknown) => {
        if (!(error instanceof ResourceInUseException)) throw error;
      });
    await waitUntilTableExists({ client, maxWaitTime: 120, minDelay: 1 }, { TableName });
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    const found = Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName) ?? [];
    const wanted = definition.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName);
    if (found.length !== wanted.length || !wanted.every((name) => found.includes(name)))
      throw new Error(
        `The table ${TableName} was created by another version: its indexes are ${found.join(", ") || "none"}`,
      );

    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
    // AWS refuses to enable it twice.
    if (TimeToLiveDescription?.TimeToLiveStatus !== "ENABLED")
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: timeToLive }));
  } finally {
    client.destroy();
  }
}
