import { randomUUID } from "node:crypto";
import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { Endpoint } from "#lib/http/handler.ts";
import type { Item } from "#lib/store/expression.ts";
import { connect } from "#lib/store/table.ts";
import { admin } from "../../test/support/api.ts";
import { type Count, counted } from "../../test/support/counting.ts";
import { type Call, identify, invoke } from "../../test/support/direct.ts";
import { mountOn } from "../../test/support/mount.ts";
import { openTable } from "../../test/support/table.ts";
import { startS3 } from "../local/s3.ts";

/** The measurement of a call: wall time with the engine in memory, and the counts of the table. */
export type Taken = Count & { readonly ms: number };

export type BenchTable = Awaited<ReturnType<typeof startTable>>;

/** Starts an empty table in memory and counts the calls in this process. */
export async function startTable() {
  const credentials = useLocalEnvironment();
  const s3 = await startS3({ secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY });
  const bucket = { AWS_ENDPOINT_URL_S3: s3.url, SNAPSHOTS_BUCKET: "odis-bench" };
  Object.assign(process.env, bucket);
  const opened = await openTable(`odis-bench-${randomUUID()}`);
  const { name, client, table } = opened;
  const count = counted(client);
  const mount = mountOn({ table: connect(client, name), identify });
  const { AWS_ENDPOINT_URL_DYNAMODB = "" } = process.env;
  return {
    name,
    client,
    table,
    count,
    /** The environment variables of a function for this table. */
    env: { ...credentials, ...bucket, AWS_ENDPOINT_URL_DYNAMODB, TABLE_NAME: name },
    async stop() {
      await opened.close();
      await s3.close();
    },
    /** Calls an endpoint, by default as an admin. Throws if the request fails. */
    measure: async (endpoint: Endpoint, call: Call): Promise<Taken> => {
      count.take();
      const start = performance.now();
      const { status = 0 } = await invoke(endpoint, mount, { as: admin, ...call });
      const ms = performance.now() - start;
      if (status >= 300) throw new Error(`${endpoint.route.path} answered ${status}`);
      return { ...count.take(), ms };
    },
  };
}

/** Configures this process for local stand-ins. Returns their credentials. */
export function useLocalEnvironment() {
  const credentials = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "local", AWS_SECRET_ACCESS_KEY: "local" };
  // Log lines would mix with the tables, and one caller would exceed the rate limit.
  Object.assign(process.env, credentials, { LOG_LEVEL: "error", THROTTLE: "off" });
  return credentials;
}

/** Puts items in batches of 25, without the derived items of `lib/store`. */
export async function putAll(
  { client, name }: Pick<BenchTable, "client" | "name">,
  size: number,
  item: (n: number) => Item,
) {
  const starts = Array.from({ length: Math.ceil(size / 25) }, (_, n) => n * 25).values();
  const write = async (): Promise<void> => {
    for (const start of starts) {
      const length = Math.min(25, size - start);
      const puts = Array.from({ length }, (_, n) => ({ PutRequest: { Item: item(start + n) } }));
      const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [name]: puts } }));
      if (UnprocessedItems?.[name]) throw new Error("The engine left out items of a batch");
    }
  };
  await Promise.all([write(), write(), write(), write()]);
}
