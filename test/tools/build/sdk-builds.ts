import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type * as dynamodb from "@aws-sdk/client-dynamodb";
import type * as lib from "@aws-sdk/lib-dynamodb";
import { type BuildOptions, build } from "esbuild";
import { afterEach, beforeEach, vi } from "vitest";
import { defaults, lean } from "../../../tools/build/build.ts";

/** What of the SDK the entry below exports, as the functions use it. */
export type Sdk = Pick<
  typeof dynamodb,
  "DynamoDBClient" | "ConditionalCheckFailedException" | "TransactionCanceledException"
> &
  Pick<
    typeof lib,
    | "BatchGetCommand"
    | "DeleteCommand"
    | "DynamoDBDocumentClient"
    | "GetCommand"
    | "PutCommand"
    | "QueryCommand"
    | "TransactWriteCommand"
    | "UpdateCommand"
  > & { readonly partitionsInfo: { readonly partitions: readonly { readonly regions: Record<string, unknown> }[] } };

const entry = `
export { ConditionalCheckFailedException, DynamoDBClient, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
export {
  BatchGetCommand, DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
export { partitionsInfo } from "./node_modules/@aws-sdk/core/dist-es/submodules/client/util-endpoints/lib/aws/partitions.js";
`;

/** How the SDK is bundled with these options. */
export const bundling = (options: BuildOptions) =>
  ({
    ...options,
    stdin: { contents: entry, resolveDir: process.cwd() },
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minify: true,
  }) satisfies BuildOptions;

async function bundled(options: BuildOptions): Promise<Sdk> {
  const folder = await mkdtemp(join(tmpdir(), "odis-sdk-"));
  const outfile = join(folder, "index.mjs");
  await build({ ...bundling(options), outfile });
  const sdk = (await import(pathToFileURL(outfile).href)) as Sdk;
  await rm(folder, { recursive: true });
  return sdk;
}

export const whole = await bundled(defaults);
export const cut = await bundled(lean);

export type Config = dynamodb.DynamoDBClientConfig;
export type Documents = lib.DynamoDBDocumentClient;

export const TableName = "odis";
export const Key = { pk: "COMMUNITY#1", sk: "TIER#1" };

export const documents = ({ DynamoDBClient, DynamoDBDocumentClient }: Sdk, config: Config): Documents =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 3, ...config }));

/** How a Get ends. */
export const get = (sdk: Sdk, config: Config, options = {}) =>
  outcomeOf(documents(sdk, config).send(new sdk.GetCommand({ TableName, Key }), options));

/** For every test of a file: nobody's own profile, no waiting between attempts, and all as it was afterwards. */
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
  const { httpStatusCode, attempts } = $metadata ?? {};
  return { ...rest, httpStatusCode, attempts };
}
