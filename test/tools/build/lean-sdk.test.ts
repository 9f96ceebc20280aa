import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lean } from "../../../tools/build/build.ts";
import { leanSdk } from "../../../tools/build/lean-sdk.ts";
import { createTable, type Engine, startDynamoDB } from "../../../tools/local/dynamodb.ts";
import {
  bundling,
  cut,
  type Documents,
  documents,
  hermetic,
  Key,
  outcomeOf,
  type Sdk,
  TableName,
  whole,
} from "./sdk-builds.ts";

hermetic();

describe("the lean SDK on the local engine, step by step", () => {
  const engines: Engine[] = [];
  beforeAll(async () => {
    engines.push(await startDynamoDB(), await startDynamoDB());
    await Promise.all(engines.map(({ endpoint }) => createTable(endpoint, TableName)));
  });
  afterAll(() => Promise.all(engines.map(({ stop }) => stop())));

  const item = {
    ...Key,
    bytes: new Uint8Array([0, 1, 254, 255]),
    count: 12.5,
    big: 9_007_199_254_740_991,
    nothing: null,
    yes: true,
    text: 'Zoë "\u0007" 🎉\n',
    tags: new Set(["a", "b"]),
    list: [1, "two", { three: [null] }],
  };
  const condition = { ConditionExpression: "attribute_not_exists(pk)" } as const;

  it.each<[string, (client: Documents, sdk: Sdk) => Promise<unknown>, object]>([
    [
      "writes what JavaScript has",
      (client, sdk) => client.send(new sdk.PutCommand({ TableName, Item: item })),
      { output: {} },
    ],
    [
      "reads it again",
      (client, sdk) => client.send(new sdk.GetCommand({ TableName, Key })),
      { output: { Item: item } },
    ],
    [
      "finds nothing",
      (client, sdk) => client.send(new sdk.GetCommand({ TableName, Key: { pk: "-", sk: "-" } })),
      { output: {} },
    ],
    [
      "updates",
      (client, sdk) =>
        client.send(
          new sdk.UpdateCommand({
            TableName,
            Key,
            UpdateExpression: "ADD #n0 :v0 REMOVE nothing",
            ExpressionAttributeNames: { "#n0": "count" },
            ExpressionAttributeValues: { ":v0": 1 },
            ReturnValues: "ALL_NEW",
          }),
        ),
      { output: { Attributes: { count: 13.5 } } },
    ],
    [
      "queries a page",
      (client, sdk) =>
        client.send(
          new sdk.QueryCommand({
            TableName,
            KeyConditionExpression: "pk = :v0 AND begins_with(sk, :v1)",
            ExpressionAttributeValues: { ":v0": Key.pk, ":v1": "TIER#" },
            ScanIndexForward: false,
            Limit: 1,
            ReturnConsumedCapacity: "TOTAL",
          }),
        ),
      { output: { Count: 1, Items: [{ count: 13.5 }], ConsumedCapacity: { TableName } } },
    ],
    [
      "reads many",
      (client, sdk) =>
        client.send(new sdk.BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key, { pk: "-", sk: "-" }] } } })),
      { output: { Responses: { [TableName]: [Key] }, UnprocessedKeys: {} } },
    ],
    [
      "is refused a Put",
      (client, sdk) =>
        client.send(
          new sdk.PutCommand({ TableName, Item: Key, ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" }),
        ),
      { error: { name: "ConditionalCheckFailedException", attempts: 1, Item: { pk: { S: Key.pk } } } },
    ],
    [
      "is refused an Update",
      (client, sdk) =>
        client.send(new sdk.UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE yes", ...condition })),
      { error: { name: "ConditionalCheckFailedException", $fault: "client" } },
    ],
    [
      "is refused a Delete",
      (client, sdk) => client.send(new sdk.DeleteCommand({ TableName, Key, ...condition })),
      { error: { name: "ConditionalCheckFailedException", httpStatusCode: 400 } },
    ],
    [
      "is refused a transaction, for reasons",
      (client, sdk) =>
        client.send(
          new sdk.TransactWriteCommand({
            ClientRequestToken: "1",
            TransactItems: [
              { Put: { TableName, Item: { pk: "COMMUNITY#1", sk: "TIER#2" } } },
              { Put: { TableName, Item: Key, ...condition, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } },
            ],
          }),
        ),
      {
        error: {
          name: "TransactionCanceledException",
          CancellationReasons: [{ Code: "None" }, { Code: "ConditionalCheckFailed", Item: { pk: { S: Key.pk } } }],
        },
      },
    ],
    [
      "deletes",
      (client, sdk) => client.send(new sdk.DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" })),
      { output: {} },
    ],
    [
      "is told of a mistake",
      (client, sdk) => client.send(new sdk.GetCommand({ TableName, Key: { id: 1 } })),
      { error: { name: "ValidationException" } },
    ],
    [
      "is told of a missing table",
      (client, sdk) => client.send(new sdk.GetCommand({ TableName: "another", Key })),
      { error: { name: "ResourceNotFoundException" } },
    ],
  ])("%s, as the whole does", async (_, send, expected) => {
    const [ours, theirs] = await Promise.all(
      [cut, whole].map((sdk, n) => {
        const client = documents(sdk, { endpoint: engines[n]?.endpoint ?? "" });
        return outcomeOf(send(client, sdk));
      }),
    );
    expect(ours).toEqual(theirs);
    expect(ours).toMatchObject(expected);
  });

  it("throws errors of the classes that it exports", async () => {
    const { ConditionalCheckFailedException, PutCommand } = cut;
    const put = new PutCommand({ TableName, Item: Key, ConditionExpression: "attribute_exists(pk)" });
    const failing = documents(cut, { endpoint: engines[0]?.endpoint ?? "" }).send(put);
    await expect(failing).rejects.toBeInstanceOf(ConditionalCheckFailedException);
  });
});

it("leaves nothing to be imported later, for which all that is shared with it would be wrapped", async () => {
  const { metafile } = await build({ ...bundling(lean), outfile: "unused", write: false, metafile: true });
  const later = Object.values(metafile.inputs)
    .flatMap(({ imports }) => imports)
    .filter(({ kind, path, external }) => kind === "dynamic-import" && !external && !path.startsWith("required:"));
  // The browsers' user agent: it shares nothing.
  expect(later.map(({ path }) => path)).toEqual([expect.stringContaining("/bowser/")]);
});

describe("an SDK that has changed", () => {
  /** Builds a file of an SDK that holds nothing else. */
  async function building(file: string, contents: string): Promise<unknown> {
    const root = await mkdtemp(join(tmpdir(), "odis-changed-"));
    const path = join(root, "node_modules", file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
    try {
      return await build({ entryPoints: [path], bundle: true, write: false, logLevel: "silent", plugins: [leanSdk] });
    } finally {
      await rm(root, { recursive: true });
    }
  }
  const file = "@aws-sdk/lib-dynamodb/dist-es/pagination/ScanPaginator.js";
  const text = "export const paginateScan = createPaginator();";

  it.each([
    ["a text that is to be cut is not there", "export const paginateScan = paginator();", "Found 0 times instead of 1"],
    ["a text that is to be cut is there twice", `${text}\n${text}`, "Found 2 times instead of 1"],
    ["a file that is to be cut is not there", text, "Not part of the SDK any more: @aws-sdk/lib-dynamodb"],
  ])("fails the build where %s", async (_, contents, message) => {
    await expect(building(file, contents)).rejects.toThrow(message);
  });
});
