import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { tableSchema } from "#lib/store/table-schema.ts";
import { findEngine } from "../../../tools/local/dynamodb/engine.ts";
import { createTable, startDynamoDB } from "../../../tools/local/dynamodb.ts";
import { eventually } from "../../support/eventually.ts";

/** Cleanups that run at the end of the test, in reverse order. */
const cleanups: (() => unknown)[] = [];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "odis-dynamodb-"));
  cleanups.push(() => rm(folder, { recursive: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function start(options: Parameters<typeof startDynamoDB>[0] = {}) {
  const engine = await startDynamoDB(options);
  cleanups.push(engine.stop);
  return engine;
}

function clientOf(endpoint: string): DynamoDBClient {
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1 });
  cleanups.push(() => client.destroy());
  return client;
}

const Key = { pk: { S: "A" }, sk: { S: "B" } };
const put = (endpoint: string) => clientOf(endpoint).send(new PutItemCommand({ TableName: "odis", Item: Key }));
const find = async (endpoint: string) =>
  (await clientOf(endpoint).send(new GetItemCommand({ TableName: "odis", Key }))).Item;

/** Makes engines record their process id and the id of their process group. */
async function recordProcesses() {
  const record = join(folder, "processes");
  const [binary] = findEngine()({ port: 0 });
  await writeFile(join(folder, "engine"), `#!/bin/sh\necho "$$ $PPID" > ${record}\nexec ${binary} "$@"\n`, {
    mode: 0o755,
  });
  vi.stubEnv("DYNOXIDE_BIN", join(folder, "engine"));
  return async () => {
    const [engine = 0, group = 0] = (await readFile(record, "utf8")).split(" ").map(Number);
    return { engine, group };
  };
}

/** Whether a process has ended. A negative number is the id of a process group. */
const isGone = (pid: number): boolean => {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
};

test("several engines run at the same time with separate data", async () => {
  const [one, other] = await Promise.all([start(), start()]);
  await Promise.all([createTable(one.endpoint, "odis"), createTable(other.endpoint, "odis")]);
  await put(one.endpoint);
  expect(await find(one.endpoint)).toEqual(Key);
  expect(await find(other.endpoint)).toBeUndefined();
});

test("data in a file is kept when an engine stops and starts", async () => {
  const file = join(folder, "not/yet/there/table.db");
  const first = await start({ file });
  await createTable(first.endpoint, "odis");
  await put(first.endpoint);
  await first.stop();
  await expect(fetch(first.endpoint)).rejects.toThrow("fetch failed");

  expect(await find((await start({ file })).endpoint)).toEqual(Key);
});

test("a stopped engine leaves no process behind", async () => {
  const processes = await recordProcesses();
  const engine = await start();
  const { group } = await processes();
  await engine.stop();
  await eventually(() => expect(isGone(-group)).toBe(true));
});

test("a killed engine restarts on its port with the data of its file", async () => {
  const report = vi.spyOn(console, "error").mockReturnValue();
  const processes = await recordProcesses();
  const { endpoint } = await start({ file: join(folder, "table.db") });
  await createTable(endpoint, "odis");
  await put(endpoint);

  process.kill((await processes()).engine, "SIGKILL");
  await eventually(async () => expect(await find(endpoint)).toEqual(Key));
  expect(report).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/^The DynamoDB engine stopped and is being restarted/),
  );
});

test("a killed engine with its data in memory reports that the data is lost", async () => {
  const report = vi.spyOn(console, "error").mockReturnValue();
  const processes = await recordProcesses();
  const { endpoint } = await start();
  const { engine } = await processes();

  process.kill(engine, "SIGKILL");
  await eventually(async () => expect((await fetch(endpoint)).ok).toBe(true));
  expect(report).toHaveBeenCalledExactlyOnceWith(expect.stringContaining("in memory, and are gone"));
});

test("an engine ends with its parent even if that is killed, and its file can be opened immediately", async () => {
  const processes = await recordProcesses();
  const file = join(folder, "table.db");
  const module = join(import.meta.dirname, "../../../tools/local/dynamodb.ts");
  const parent = spawn(
    process.execPath,
    [
      "--input-type=module",
      "--eval",
      `import { createTable, startDynamoDB } from ${JSON.stringify(module)};
       const { endpoint } = await startDynamoDB({ file: ${JSON.stringify(file)} });
       await createTable(endpoint, "odis");
       console.log(endpoint);
       setInterval(() => {}, 1000);`,
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [endpoint] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
  await put(endpoint.trim());
  const { engine } = await processes();

  parent.kill("SIGKILL");
  expect(await find((await start({ file })).endpoint)).toEqual(Key);
  await eventually(() => expect(isGone(engine)).toBe(true));
});

test("an engine that cannot start reports the reason", async () => {
  const file = join(folder, "table.db");
  await writeFile(file, "this is no database, and nothing that could be taken for one");
  await expect(start({ file })).rejects.toThrow(/did not start: .*database/is);
});

test("DYNAMODB_ENDPOINT is used without starting an engine", async () => {
  vi.stubEnv("DYNAMODB_ENDPOINT", "http://127.0.0.1:1");
  expect((await start()).endpoint).toBe("http://127.0.0.1:1");
});

test("no engine is started inside AWS Lambda", async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "f");
  await expect(start()).rejects.toThrow("does not run inside AWS Lambda");
});

test("createTable creates the keys, indexes, stream and expiry of lib/store/keys.ts once", async () => {
  const { endpoint } = await start();
  await createTable(endpoint, "odis");
  await createTable(endpoint, "odis");

  const client = clientOf(endpoint);
  const { Table } = await client.send(new DescribeTableCommand({ TableName: "odis" }));
  expect(Table).toMatchObject({
    KeySchema: [
      { AttributeName: "pk", KeyType: "HASH" },
      { AttributeName: "sk", KeyType: "RANGE" },
    ],
    BillingModeSummary: { BillingMode: "PAY_PER_REQUEST" },
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  const indexes = Table?.GlobalSecondaryIndexes?.map(({ IndexName = "", KeySchema = [], Projection }) => [
    IndexName,
    { keys: KeySchema.map(({ AttributeName }) => AttributeName), projection: Projection?.ProjectionType },
  ]);
  expect(Object.fromEntries(indexes ?? [])).toEqual(
    Object.fromEntries(
      Object.entries(tableSchema.indexes).map(([name, { partitionKey, sortKey }]) => [
        name,
        { keys: [partitionKey, sortKey], projection: "ALL" },
      ]),
    ),
  );
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: "odis" }));
  expect(TimeToLiveDescription).toMatchObject({ TimeToLiveStatus: "ENABLED", AttributeName: tableSchema.ttl });
});

test("createTable throws for a table with other indexes", async () => {
  const { endpoint } = await start();
  await clientOf(endpoint).send(
    new CreateTableCommand({
      TableName: "odis",
      KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
      AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "S" }],
      BillingMode: "PAY_PER_REQUEST",
    }),
  );
  await expect(createTable(endpoint, "odis")).rejects.toThrow("its indexes are none");
});
