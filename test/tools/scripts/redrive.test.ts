import { execFile } from "node:child_process";
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type HttpRequest, type Serving, serve } from "../../../tools/local/loopback.ts";
import { startS3 } from "../../../tools/local/s3.ts";

const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:000000000000:function:odis-sandbox-${name}`;

/** Stores a failed batch at a time of the day, in Lambda's format. */
async function setAside(time: string, name: string, numbers: readonly string[], id = "id"): Promise<void> {
  const key = `aws/lambda/mapping/shardId-1/2026/11/22/2026-11-22T${time}-${id}`;
  const Records = numbers.map((SequenceNumber) => ({ dynamodb: { SequenceNumber } }));
  const batch = { requestContext: { functionArn: arnOf(name) }, payload: JSON.stringify({ Records }) };
  await client.send(new PutObjectCommand({ Bucket: "failed", Key: key, Body: JSON.stringify(batch) }));
}
const left = async () => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "failed" }));
  return Contents.map(({ Key = "" }) => Key.slice(-11, -3));
};

/** An S3 server with a bucket, and a Lambda server that records its calls. */
let s3: Serving;
let lambda: Serving;
let client: S3Client;
type Call = {
  readonly Records: readonly { readonly dynamodb: { readonly SequenceNumber: string } }[];
  readonly isRedriven: unknown;
};
let calls: { readonly name: string; readonly records: readonly string[]; readonly isRedriven: unknown }[] = [];
let answer = '{"batchItemFailures":[]}';
beforeAll(async () => {
  s3 = await startS3({ secretAccessKey: "test" });
  const credentials = { accessKeyId: "test", secretAccessKey: "test" };
  client = new S3Client({ endpoint: s3.url, region: "eu-central-1", credentials, forcePathStyle: true });
  lambda = await serve({ port: 0, maxBodyBytes: 100_000 }, async ({ target, body }: HttpRequest) => {
    const [, name = ""] = /odis-sandbox-(\w+)/.exec(decodeURIComponent(target)) ?? [];
    const { Records, isRedriven } = JSON.parse(String(body)) as Call;
    calls.push({ name, records: Records.map(({ dynamodb }) => dynamodb.SequenceNumber), isRedriven });
    return { status: 200, headers: [], body: answer };
  });
});
afterAll(async () => {
  client.destroy();
  await s3.close();
  await lambda.close();
});
afterEach(async () => {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: "failed" }));
  for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket: "failed", Key }));
  calls = [];
  answer = '{"batchItemFailures":[]}';
});

const redrive = (...args: readonly string[]) =>
  new Promise<{ code: number; out: string }>((resolve) => {
    const env = {
      PATH: process.env.PATH,
      AWS_REGION: "eu-central-1",
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
      AWS_ENDPOINT_URL_S3: s3.url,
      AWS_ENDPOINT_URL_LAMBDA: lambda.url,
    };
    const call = ["tools/scripts/redrive.ts", "--bucket", "failed", ...args];
    execFile(process.execPath, call, { env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out: out + err }),
    );
  });

describe("redrive", () => {
  it("redrive calls each consumer with its records, oldest first, and deletes handled ones", async () => {
    await setAside("12.00.00", "TriggersProjections", ["200", "201"]);
    await setAside("11.59.59", "TriggersEvents", ["300"]);
    expect(await redrive()).toEqual({ code: 0, out: "2 batches handled, 0 failed again\n" });
    expect(calls).toEqual([
      { name: "TriggersEvents", records: ["300"], isRedriven: true },
      { name: "TriggersProjections", records: ["200", "201"], isRedriven: true },
    ]);
    expect(await left()).toEqual([]);
  });

  it("redrive sorts records of the same second by their position in the stream", async () => {
    await setAside("12.00.00", "TriggersEvents", ["1000000000000000000003"], "a");
    await setAside("12.00.00", "TriggersEvents", ["999999999999999999999", "1000000000000000000001"], "c");
    await setAside("12.00.00", "TriggersEvents", ["1000000000000000000002"], "b");
    expect((await redrive()).code).toBe(0);
    expect(calls.flatMap(({ records }) => records.map((number) => number.slice(-1)))).toEqual(["9", "1", "2", "3"]);
  });

  it("redrive keeps and prints batches that fail again", async () => {
    await setAside("12.00.00", "TriggersEvents", ["2"]);
    answer = '{"batchItemFailures":[{"itemIdentifier":"1"}]}';
    const { code, out } = await redrive();
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining("0 batches handled, 1 failed again") });
    expect(await left()).toEqual(["12.00.00"]);
  });

  it("redrive is limited to a time span, and changes nothing with --dry-run", async () => {
    await setAside("11.00.00", "TriggersEvents", ["1"]);
    await setAside("12.00.00", "TriggersEvents", ["2"]);
    await setAside("13.00.00", "TriggersEvents", ["3"]);
    const span = ["--since", "2026-11-22T12:00:00Z", "--until", "2026-11-22T13:00:00Z"];
    expect((await redrive("--dry-run", ...span)).out).toMatch(/^2026-11-22T12:00:00.000Z .*\n1 batches\n$/);
    expect(calls).toEqual([]);
    await redrive(...span);
    expect(calls.map(({ records }) => records)).toEqual([["2"]]);
    expect(await left()).toEqual(["11.00.00", "13.00.00"]);
  });
});
