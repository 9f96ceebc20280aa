import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as eventBridge from "@aws-sdk/client-eventbridge";
import * as s3 from "@aws-sdk/client-s3";
import * as secretsManager from "@aws-sdk/client-secrets-manager";
import * as sqs from "@aws-sdk/client-sqs";
import * as documents from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, vi } from "vitest";
import * as clients from "#lib/aws.ts";
import { imported } from "../support/bundling.ts";

const parts = { dynamodb, documents, eventBridge, s3, secretsManager, sqs };

/** Clients with the commands that they run and the classes of the errors that they throw. */
export type Sdk = typeof clients & typeof parts;

/** The imports of functions. Other imports would add code that bundles omit. */
export const entry = `
  import { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, TransactWriteCommand,
    UpdateCommand } from "@aws-sdk/lib-dynamodb";
  import { ConditionalCheckFailedException, ProvisionedThroughputExceededException, ResourceNotFoundException,
    ThrottlingException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
  import { InternalException, PutEventsCommand } from "@aws-sdk/client-eventbridge";
  import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
  import { GetSecretValueCommand, PutSecretValueCommand,
    ResourceNotFoundException as NoSecretException } from "@aws-sdk/client-secrets-manager";
  import { InvalidMessageContents, SendMessageBatchCommand } from "@aws-sdk/client-sqs";
  export * from "#lib/aws.ts";
  export const documents = { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand,
    TransactWriteCommand, UpdateCommand };
  export const dynamodb = { ConditionalCheckFailedException, ProvisionedThroughputExceededException,
    ResourceNotFoundException, ThrottlingException, TransactionCanceledException };
  export const eventBridge = { InternalException, PutEventsCommand };
  export const s3 = { DeleteObjectCommand, GetObjectCommand, PutObjectCommand };
  export const sqs = { InvalidMessageContents, SendMessageBatchCommand };
  export const secretsManager = { GetSecretValueCommand, PutSecretValueCommand,
    ResourceNotFoundException: NoSecretException };`;

const source: Sdk = { ...clients, ...parts };
/** The SDK as it is bundled for functions. */
export const bundled = await imported<Sdk>(entry);

/** Runs something with the original and the bundled SDK, and expects the same result. */
export async function compared<Found>(run: (sdk: Sdk) => Promise<Found>): Promise<Found> {
  const found = await run(source);
  expect(await run(bundled)).toEqual(found);
  return found;
}

const partitions = "./node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js";
type Partitions = { readonly partitions: readonly { readonly regions: Record<string, unknown> }[] };
const { partitionsInfo } = await imported<{ partitionsInfo: Partitions }>(`export * from "${partitions}"`);

/** The regions that the SDK knows by name. */
export const knownRegions = partitionsInfo.partitions.flatMap(({ regions }) => Object.keys(regions));

/** Options that every client has. */
export type Options = Pick<NonNullable<Parameters<Sdk["eventBridgeClient"]>[0]>, "maxAttempts" | "requestHandler">;

export const TableName = "odis";
export const Key = { pk: "COMMUNITY#1", sk: "TIER#1" };

/** How a Get ends. */
export const get = (sdk: Sdk, options: Options = {}, sending = {}) =>
  outcomeOf(
    sdk.documentClient({ maxAttempts: 3, ...options }).send(new sdk.documents.GetCommand({ TableName, Key }), sending),
  );

/** Isolates every test of a file: no profile, no delays between attempts, and everything is restored afterwards. */
export function hermetic(): void {
  beforeEach(() => {
    vi.stubEnv("AWS_CONFIG_FILE", "/none");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/none");
    vi.spyOn(Math, "random").mockReturnValue(0);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** The outcome of a call, without values that differ between calls. */
export async function outcomeOf(work: Promise<unknown>): Promise<object> {
  try {
    return { output: await work.then(settled) };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: { ...settled(error), name, message } };
  }
}

function settled(outcome: unknown): Record<string, unknown> {
  const { $metadata, ...rest } = outcome as { readonly $metadata?: Record<string, unknown> };
  const { httpStatusCode, attempts, totalRetryDelay } = $metadata ?? {};
  return { ...rest, httpStatusCode, attempts, totalRetryDelay };
}
