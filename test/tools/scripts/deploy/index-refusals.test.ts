import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { tableSchema } from "#lib/store/table-schema.ts";
import { type Serving, serve } from "../../../../tools/local/loopback.ts";
import { indexRefusalsOf } from "../../../../tools/scripts/deploy/index-refusals.ts";

let dynamoDb: Serving;
let Table: object | undefined;
beforeAll(async () => {
  dynamoDb = await serve({ port: 0, maxBodyBytes: 10_000 }, async () => ({
    status: Table ? 200 : 400,
    headers: [["content-type", "application/x-amz-json-1.0"]],
    body: JSON.stringify(Table ? { Table } : { __type: "AccessDeniedException" }),
  }));
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", dynamoDb.url);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await dynamoDb.close();
});

const stage = { stage: "prod", table: { name: "odis-restored", streamArn: "arn:stream" } };
const indexes = Object.keys(tableSchema.indexes).map((IndexName) => ({ IndexName, IndexStatus: "ACTIVE" }));

it("a stage on a restored table is deployed only if the table has all indexes of the new version", async () => {
  Table = { GlobalSecondaryIndexes: indexes };
  expect(await indexRefusalsOf(stage)).toEqual([]);
  Table = { GlobalSecondaryIndexes: indexes.filter(({ IndexName }) => IndexName !== "by_access") };
  expect(await indexRefusalsOf(stage)).toEqual([
    expect.stringMatching(
      /^The table odis-restored has no index by_access, .* Deploy when it is active\. Run: aws dynamodb update-table --table-name odis-restored /,
    ),
  ]);
});

it("a stage on its own table is deployed without these checks, and so is one whose table cannot be described", async () => {
  Table = {};
  expect(await indexRefusalsOf({ ...stage, table: undefined })).toEqual([]);
  Table = undefined;
  expect(await indexRefusalsOf(stage)).toEqual([]);
});
