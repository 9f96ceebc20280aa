import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { DeleteObjectCommand, GetObjectCommand, paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import * as v from "valibot";
import { env } from "#lib/env.ts";

/**
 * What Lambda writes for a batch that it gave up on
 * (https://docs.aws.amazon.com/lambda/latest/dg/services-dynamodb-errors.html): `payload` is what the function was called with.
 */
const Batch = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    requestContext: v.object({ functionArn: v.string(), condition: v.optional(v.string(), "") }),
    payload: v.union([v.pipe(v.string(), v.parseJson(), v.looseObject({})), v.looseObject({})]),
  }),
);
const Answer = v.object({ batchItemFailures: v.optional(v.array(v.unknown()), []) });

type Options = {
  readonly since: Date | undefined;
  readonly until: Date | undefined;
  readonly isDryRun: boolean;
  /** Called after each batch. */
  readonly onProgress: (done: number) => void;
  /** Called with each batch that failed again; in a dry run, with each. */
  readonly onLine: (line: string) => void;
};

/** Calls the consumers again with the batches of the bucket, oldest first. @returns how many were sent and failed */
export async function redrive(Bucket: string, { since, until, isDryRun, onProgress, onLine }: Options) {
  const endpoint = env("AWS_ENDPOINT_URL_S3") ?? env("AWS_ENDPOINT_URL");
  const s3 = new S3Client({ ...(endpoint !== undefined && { endpoint, forcePathStyle: true }) });
  const lambda = new LambdaClient({});
  const counts = { sent: 0, failed: 0 };
  try {
    const names: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: "aws/lambda/" }))
      names.push(...Contents.map(({ Key = "" }) => Key));
    const wanted = names
      .map((Key) => ({ Key, at: timeIn(Key) }))
      .filter(({ at }) => (since === undefined || at >= since) && (until === undefined || at < until))
      .toSorted((a, b) => a.at.getTime() - b.at.getTime());
    for (const { Key, at } of wanted) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      const { requestContext, payload } = v.parse(Batch, await Body?.transformToString());
      const [name] = requestContext.functionArn.split(":function:").slice(1);
      const line = `${at.toISOString()} ${name} ${requestContext.condition} ${Key}`;
      const failure = isDryRun ? line : await failureOf(lambda, requestContext.functionArn, payload);
      if (isDryRun) onLine(line);
      if (!isDryRun && failure === undefined) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      if (!isDryRun && failure !== undefined) onLine(`${line}: ${failure}`);
      counts[failure === undefined || isDryRun ? "sent" : "failed"]++;
      onProgress(counts.sent + counts.failed);
    }
    return counts;
  } finally {
    s3.destroy();
    lambda.destroy();
  }
}

/** When Lambda wrote an object: `aws/lambda/<mapping>/<shard>/2026/11/22/2026-11-22T12.00.00-<id>`. */
function timeIn(key: string): Date {
  const [, day = "", hours, minutes, seconds] = /\/([\d-]+)T(\d\d)\.(\d\d)\.(\d\d)-[^/]*$/.exec(key) ?? [];
  const time = new Date(`${day}T${hours}:${minutes}:${seconds}Z`);
  if (Number.isNaN(time.getTime())) throw new Error(`${key} is not an object written by Lambda`);
  return time;
}

/** Calls a consumer. @returns why it failed; undefined where it has handled all */
async function failureOf(lambda: LambdaClient, FunctionName: string, payload: object): Promise<string | undefined> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload) }),
  );
  if (FunctionError !== undefined) return FunctionError;
  const { batchItemFailures } = v.parse(Answer, JSON.parse(Payload?.transformToString() || "{}") ?? {});
  return batchItemFailures.length > 0 ? "it could not handle all records" : undefined;
}
