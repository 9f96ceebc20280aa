import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import * as v from "valibot";
import { env } from "#lib/env.ts";

/**
 * A failed batch that Lambda stored (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html), or a
 * record that a consumer could not read. `payload` is the input of the function.
 */
const Records = v.looseObject({
  Records: v.array(v.looseObject({ dynamodb: v.looseObject({ SequenceNumber: v.pipe(v.string(), v.digits()) }) })),
});
const Batch = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    requestContext: v.object({ functionArn: v.string(), condition: v.optional(v.string(), "") }),
    payload: v.union([v.pipe(v.string(), v.parseJson(), Records), Records]),
  }),
);
const BatchResponse = v.object({ batchItemFailures: v.optional(v.array(v.unknown()), []) });

type RedriveOptions = {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly isDryRun: boolean;
  /** Called after each batch. */
  readonly onProgress: (done: number) => void;
  /** Called with each batch that failed again, or with each batch in a dry run. */
  readonly onLine: (line: string) => void;
};

/** The bucket of failed records. */
export type FailedRecords = {
  readonly names: () => Promise<readonly string[]>;
  readonly text: (key: string) => Promise<string | undefined>;
  readonly delete: (key: string) => Promise<unknown>;
};

/** Calls a consumer. @returns the reason of its failure; undefined if it handled all records */
export type CallConsumer = (functionArn: string, event: object) => Promise<string | undefined>;

/**
 * Calls the consumers again with the batches in the bucket, oldest first. @returns the number of sent and failed
 * batches
 */
export async function redrive(Bucket: string, options: RedriveOptions) {
  const endpoint = env("AWS_ENDPOINT_URL_S3") ?? env("AWS_ENDPOINT_URL");
  const s3 = new S3Client({ ...(endpoint !== undefined && { endpoint, forcePathStyle: true }) });
  const lambda = new LambdaClient({});
  try {
    return await redriveBatches(bucketOf(s3, Bucket), (arn, event) => failureOf(lambda, arn, event), options);
  } finally {
    s3.destroy();
    lambda.destroy();
  }
}

const bucketOf = (s3: S3Client, Bucket: string): FailedRecords => ({
  async names() {
    const names: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: "aws/lambda/" }))
      names.push(...Contents.map(({ Key = "" }) => Key));
    return names;
  },
  text: async (Key) => (await s3.send(new GetObjectCommand({ Bucket, Key }))).Body?.transformToString(),
  delete: (Key) => s3.send(new DeleteObjectCommand({ Bucket, Key })),
});

/** Like `redrive`, with the given bucket and consumers. */
export async function redriveBatches(
  bucket: FailedRecords,
  call: CallConsumer,
  { since, until, isDryRun, onProgress, onLine }: RedriveOptions,
) {
  const counts = { sent: 0, failed: 0 };
  const objects = (await bucket.names())
    .map((Key) => ({ Key, at: timeIn(Key) }))
    .filter(({ at }) => (since === undefined || at >= since) && (until === undefined || at < until))
    .toSorted((a, b) => a.at.getTime() - b.at.getTime());
  for await (const { Key, at, requestContext, payload } of inOrder(bucket, objects)) {
    const [name] = requestContext.functionArn.split(":function:").slice(1);
    const line = `${at.toISOString()} ${name} ${requestContext.condition} ${Key}`;
    const failure = isDryRun ? line : await call(requestContext.functionArn, { ...payload, isRedriven: true });
    if (isDryRun) onLine(line);
    if (!isDryRun && failure === undefined) await bucket.delete(Key);
    if (!isDryRun && failure !== undefined) onLine(`${line}: ${failure}`);
    counts[failure === undefined || isDryRun ? "sent" : "failed"]++;
    onProgress(counts.sent + counts.failed);
  }
  return counts;
}

type Stored = { readonly Key: string; readonly at: Date };

/** Reads objects in the order of their seconds, and within a second in the order of their sequence numbers. */
async function* inOrder(bucket: FailedRecords, objects: readonly Stored[]) {
  for (const ofSecond of Map.groupBy(objects, ({ at }) => at.getTime()).values()) {
    const batches = await Promise.all(
      ofSecond.map(async ({ Key, at }) => {
        const batch = v.parse(Batch, await bucket.text(Key));
        return { Key, at, ...batch, start: BigInt(batch.payload.Records[0]?.dynamodb.SequenceNumber ?? 0) };
      }),
    );
    yield* batches.toSorted((a, b) => (a.start < b.start ? -1 : 1));
  }
}

/** Returns the time in an object's name: `aws/lambda/<mapping>/<shard>/2026/11/22/2026-11-22T12.00.00-<id>`. */
function timeIn(key: string): Date {
  const [, day = "", hours, minutes, seconds] = /\/([\d-]+)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  const time = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  if (Number.isNaN(time.getTime())) throw new Error(`${key} is not an object of failed records`);
  return time;
}

async function failureOf(lambda: LambdaClient, FunctionName: string, event: object): Promise<string | undefined> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify(event) }),
  );
  if (FunctionError !== undefined) return FunctionError;
  const { batchItemFailures } = v.parse(BatchResponse, JSON.parse(Payload?.transformToString() || "{}") ?? {});
  return batchItemFailures.length > 0 ? "it could not handle all records" : undefined;
}
