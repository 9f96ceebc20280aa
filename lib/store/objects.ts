import { addAbortSignal, type Readable } from "node:stream";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { s3Client } from "../aws.ts";
import { env } from "../env.ts";
import { machine, type Runtime } from "../runtime.ts";
import { attempt } from "./failure.ts";

/** Objects of a bucket. Calls throw Problem `unavailable` if S3 fails, and `timeout` if their signal aborts. */
export interface Objects {
  /** Streams an object from the byte offset `from`. */
  read(key: string, from: number, take: (piece: Uint8Array) => void, signal?: AbortSignal): Promise<void>;
  put(key: string, body: Uint8Array): Promise<void>;
  /** Idempotent: also succeeds if the object does not exist. */
  delete(key: string): Promise<void>;
}

/** How long to wait for S3 to begin its response, in milliseconds. An upload may take longer because of its size. */
const timeouts = { connectionTimeout: 500, requestTimeout: 3000, throwOnRequestTimeout: true };
const uploadTimeout = 120_000;

/** The bucket that an environment variable names. The environment is not read before the first call. */
export function connectBucket(
  variable: "SNAPSHOTS_BUCKET" | "ERASURES_BUCKET" | "FAILED_RECORDS_BUCKET",
  { wait, random, ...runtime }: Runtime = machine,
  options: Parameters<typeof s3Client>[0] = { requestHandler: timeouts },
): Objects {
  let client: ReturnType<typeof s3Client> | undefined;
  const call = (task: () => Promise<unknown>, signal?: AbortSignal) =>
    attempt(task, { runtime: { ...runtime, wait, random }, signal });
  const connected = () => (client ??= s3Client(options));

  return {
    async read(key, from, take, signal) {
      const Range = from > 0 ? { Range: `bytes=${from}-` } : {};
      await call(async () => {
        const command = new GetObjectCommand({ Bucket: env(variable), Key: key, ...Range });
        const { Body } = await connected().send(command, signal && { abortSignal: signal });
        const body = Body as Readable;
        for await (const piece of signal ? addAbortSignal(signal, body) : body) take(piece as Uint8Array);
      }, signal);
    },
    async put(key, body) {
      const sending = { requestTimeout: uploadTimeout };
      const command = () => new PutObjectCommand({ Bucket: env(variable), Key: key, Body: body });
      await call(() => connected().send(command(), sending));
    },
    async delete(key) {
      await call(() => connected().send(new DeleteObjectCommand({ Bucket: env(variable), Key: key })));
    },
  };
}
