import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTable, type Engine, startDynamoDB } from "../../tools/local/dynamodb.ts";
import { bundling } from "../support/bundling.ts";
import { compared, entry, hermetic, Key, outcomeOf, type Sdk, TableName } from "./aws-sdks.ts";

hermetic();

type SentRequest = { readonly path: string; readonly headers: Record<string, string>; readonly body: string };

describe("on the local engine, one operation after the other", () => {
  const engines: Engine[] = [];
  beforeAll(async () => {
    engines.push(...(await Promise.all([startDynamoDB(), startDynamoDB()])));
    await Promise.all(engines.map(({ endpoint }) => createTable(endpoint, TableName)));
  });
  afterAll(() => Promise.all(engines.map(({ stop }) => stop())));

  /** Sends something with a client on a new table. @returns the requests and the outcome */
  async function exchanged(send: (client: DynamoDBDocumentClient, sdk: Sdk) => Promise<unknown>, sdk: Sdk) {
    const client = sdk.documentClient({ maxAttempts: 3 });
    const asked: object[] = [];
    const note: Parameters<DynamoDBDocumentClient["middlewareStack"]["add"]>[0] = (next) => async (args) => {
      const { path, headers, body } = (args as unknown as { readonly request: SentRequest }).request;
      asked.push({ path, headers: same.map((name) => headers[name]), body: Buffer.from(body).toString() });
      return next(args);
    };
    client.middlewareStack.add(note as never, { step: "finalizeRequest", priority: "low" });
    return { asked, ...(await outcomeOf(send(client, sdk))) };
  }
  /** The headers that do not depend on the host. */
  const same = ["x-amz-target", "content-type", "content-length", "x-amz-content-sha256", "amz-sdk-request"];

  const item = {
    ...Key,
    bytes: new Uint8Array([0, 1, 254, 255]),
    count: 12.5,
    big: 9_007_199_254_740_991,
    nothing: null,
    yes: true,
    text: 'Zoë "\u0007" 🎉\n',
    tags: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
    binaries: new Set([new Uint8Array([0, 255])]),
    list: [1, "two", { three: [null] }],
  };
  const condition = { ConditionExpression: "attribute_not_exists(pk)" } as const;

  it.each<[string, (client: DynamoDBDocumentClient, sdk: Sdk) => Promise<unknown>, object]>([
    [
      "puts an item with values of every type",
      (client, { documents }) => client.send(new documents.PutCommand({ TableName, Item: item })),
      { output: {} },
    ],
    [
      "gets the item",
      (client, { documents }) => client.send(new documents.GetCommand({ TableName, Key })),
      { output: { Item: item } },
    ],
    [
      "gets no item where there is none",
      (client, { documents }) => client.send(new documents.GetCommand({ TableName, Key: { pk: "-", sk: "-" } })),
      { output: {} },
    ],
    [
      "updates an item",
      (client, { documents }) =>
        client.send(
          new documents.UpdateCommand({
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
      (client, { documents }) =>
        client.send(
          new documents.QueryCommand({
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
      "scans a page",
      (client, { documents }) => client.send(new documents.ScanCommand({ TableName, ReturnConsumedCapacity: "TOTAL" })),
      { output: { Count: 1, Items: [{ count: 13.5 }], ConsumedCapacity: { TableName } } },
    ],
    [
      "gets a batch of items",
      (client, { documents }) =>
        client.send(
          new documents.BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key, { pk: "-", sk: "-" }] } } }),
        ),
      { output: { Responses: { [TableName]: [Key] }, UnprocessedKeys: {} } },
    ],
    [
      "throws ConditionalCheckFailedException with the item for a refused put",
      (client, { documents }) =>
        client.send(
          new documents.PutCommand({
            TableName,
            Item: Key,
            ...condition,
            ReturnValuesOnConditionCheckFailure: "ALL_OLD",
          }),
        ),
      { error: { name: "ConditionalCheckFailedException", attempts: 1, Item: { pk: { S: Key.pk } } } },
    ],
    [
      "throws ConditionalCheckFailedException for a refused update",
      (client, { documents }) =>
        client.send(new documents.UpdateCommand({ TableName, Key, UpdateExpression: "REMOVE yes", ...condition })),
      { error: { name: "ConditionalCheckFailedException", $fault: "client" } },
    ],
    [
      "throws ConditionalCheckFailedException for a refused delete",
      (client, { documents }) => client.send(new documents.DeleteCommand({ TableName, Key, ...condition })),
      { error: { name: "ConditionalCheckFailedException", httpStatusCode: 400 } },
    ],
    [
      "throws TransactionCanceledException with the reasons for a refused transaction",
      (client, { documents }) =>
        client.send(
          new documents.TransactWriteCommand({
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
      "writes a transaction",
      (client, { documents }) =>
        client.send(
          new documents.TransactWriteCommand({
            TransactItems: [
              { Put: { TableName, Item: { pk: "COMMUNITY#1", sk: "TIER#3" } } },
              { ConditionCheck: { TableName, Key, ConditionExpression: "attribute_exists(pk)" } },
            ],
          }),
        ),
      { output: {} },
    ],
    [
      "deletes an item and returns it",
      (client, { documents }) => client.send(new documents.DeleteCommand({ TableName, Key, ReturnValues: "ALL_OLD" })),
      { output: {} },
    ],
    [
      "throws ValidationException for a key of another table",
      (client, { documents }) => client.send(new documents.GetCommand({ TableName, Key: { id: 1 } })),
      { error: { name: "ValidationException" } },
    ],
    [
      "throws ResourceNotFoundException for a missing table",
      (client, { documents }) => client.send(new documents.GetCommand({ TableName: "another", Key })),
      { error: { name: "ResourceNotFoundException" } },
    ],
  ])("a bundled client %s with the same request and outcome as the SDK", async (_, send, expected) => {
    vi.spyOn(crypto, "randomUUID").mockReturnValue("00000000-0000-4000-8000-000000000000");
    const endpoints = engines.map(({ endpoint }) => endpoint).values();
    const found = await compared((sdk) => {
      vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", endpoints.next().value);
      return exchanged(send, sdk);
    });
    expect(found).toMatchObject(expected);
  });
});

it("a bundled client has no dynamic imports, which esbuild would wrap together with all shared modules", async () => {
  const { metafile } = await build({ ...bundling(entry), outfile: "unused", write: false, metafile: true });
  const [output] = Object.values(metafile.outputs);
  const later = Object.keys(output?.inputs ?? {})
    .flatMap((input) => metafile.inputs[input]?.imports ?? [])
    .filter(({ kind, path, external }) => kind === "dynamic-import" && !external && !path.startsWith("required:"));
  expect(later).toEqual([]);
});
