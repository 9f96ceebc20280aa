import * as dynamodb from "@aws-sdk/client-dynamodb";
import * as eventBridge from "@aws-sdk/client-eventbridge";
import * as secretsManager from "@aws-sdk/client-secrets-manager";
import * as sqs from "@aws-sdk/client-sqs";
import * as documents from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, expect, vi } from "vitest";
import * as composed from "#lib/aws.ts";
import * as stock from "../../tools/build/stock-clients.ts";
import { imported } from "../support/bundling.ts";

const parts = { dynamodb, documents, eventBridge, secretsManager, sqs };

/** Clients with the commands that they run and the classes of the errors that they throw. */
export type Sdk = typeof composed & typeof parts;

/** The AWS SDK with its own clients. */
export const whole: Sdk = { ...stock, ...parts };

/** What functions import. What they do not import would bring what bundles leave out. */
export const entry = `
  import { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand, TransactWriteCommand,
    UpdateCommand } from "@aws-sdk/lib-dynamodb";
  import { ConditionalCheckFailedException, ProvisionedThroughputExceededException, ResourceNotFoundException,
    ThrottlingException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
  import { InternalException, PutEventsCommand } from "@aws-sdk/client-eventbridge";
  import { GetSecretValueCommand, PutSecretValueCommand,
    ResourceNotFoundException as NoSecretException } from "@aws-sdk/client-secrets-manager";
  import { InvalidMessageContents, SendMessageBatchCommand } from "@aws-sdk/client-sqs";
  export * from "#lib/aws.ts";
  export const documents = { BatchGetCommand, DeleteCommand, GetCommand, PutCommand, QueryCommand, ScanCommand,
    TransactWriteCommand, UpdateCommand };
  export const dynamodb = { ConditionalCheckFailedException, ProvisionedThroughputExceededException,
    ResourceNotFoundException, ThrottlingException, TransactionCanceledException };
  export const eventBridge = { InternalException, PutEventsCommand };
  export const sqs = { InvalidMessageContents, SendMessageBatchCommand };
  export const secretsManager = { GetSecretValueCommand, PutSecretValueCommand,
    ResourceNotFoundException: NoSecretException };`;

const source: Sdk = { ...composed, ...parts };
const bundled = await imported<Sdk>(entry);

/** What two builds make of the same: our clients as tools run them, and as functions run them. */
type Both<Found> = { readonly "from source": Found; readonly "in a bundle": Found };

export const both = <Found>(found: Found): Both<Found> => ({ "from source": found, "in a bundle": found });

/** Runs something with each build of our clients, one after the other. */
export const withOurs = async <Found>(run: (sdk: Sdk) => Promise<Found>): Promise<Both<Found>> => ({
  "from source": await run(source),
  "in a bundle": await run(bundled),
});

/** Runs something with the SDK's own client and with each build of ours, and expects the same. */
export async function compared<Found>(run: (sdk: Sdk) => Promise<Found>): Promise<Found> {
  const theirs = await run(whole);
  expect(await withOurs(run)).toEqual(both(theirs));
  return theirs;
}

const partitions = "./node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js";
type Partitions = { readonly partitions: readonly { readonly regions: Record<string, unknown> }[] };
const { partitionsInfo } = await imported<{ partitionsInfo: Partitions }>(`export * from "${partitions}"`);

/** The regions that the SDK knows by name. */
export const knownRegions = partitionsInfo.partitions.flatMap(({ regions }) => Object.keys(regions));

/** Options of a client, with a handler of the test's own in the place of HTTP. */
export type Options = Omit<NonNullable<Parameters<Sdk["documentClient"]>[0]>, "requestHandler"> & {
  readonly requestHandler?: object;
};

export const TableName = "odis";
export const Key = { pk: "COMMUNITY#1", sk: "TIER#1" };

/** How a Get ends. */
export const get = (sdk: Sdk, options: Options = {}, sending = {}) =>
  outcomeOf(
    sdk.documentClient({ maxAttempts: 3, ...options }).send(new sdk.documents.GetCommand({ TableName, Key }), sending),
  );

/** For every test of a file: no profile, no delay between attempts, and everything restored afterwards. */
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

/** How a call ended, without what differs from call to call. */
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
