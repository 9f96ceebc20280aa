import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import * as v from "valibot";
import { Timestamp } from "../values/scalars.ts";
import { linesOf, listAccounts, type PoolSource } from "./list.ts";

/** Milliseconds between two exports. `npm run doctor` reports a fault after two periods without one. */
export const exportPeriodMs = 24 * 60 * 60_000;

/** How long an interrupted export can be resumed, in milliseconds. The bucket aborts uploads after a day. */
const resumableMs = 12 * 60 * 60_000;

/** Size of a part in bytes, of which only the last may be smaller: the minimum of S3. About 40,000 accounts. */
const partBytes = 5 * 1024 * 1024;

/** Names of the objects of a pool's export, and of its state. A new pool does not replace the export of a lost one. */
export const exportKey = (poolId: string): string => `accounts/${poolId}.jsonl`;
export const exportStateKey = (poolId: string): string => `state/${poolId}.json`;

/** An export in progress. */
const Upload = v.object({
  id: v.string(),
  started_at: Timestamp,
  /** Token of the first page that no part contains. */
  next: v.optional(v.string()),
  /** ETags of the parts. */
  parts: v.array(v.string()),
  accounts: v.number(),
  left_out: v.number(),
});
type Upload = v.InferOutput<typeof Upload>;

const State = v.object({
  /** When the last complete export began. */
  exported_at: v.optional(Timestamp),
  upload: v.optional(Upload),
});
type State = v.InferOutput<typeof State>;

export type ExportContext = PoolSource & { readonly s3: S3Client; readonly bucket: string };

type ExportOptions = {
  /** The remaining time of this run in milliseconds, not including the upload of a part. */
  readonly left: () => number;
  /** Whether to export even if the last export is recent. */
  readonly isForced?: boolean;
  /** Called after each page with the number of accounts so far. */
  readonly onProgress?: (accounts: number) => void;
};

/** Outcome of a run. */
export type ExportOutcome =
  | { readonly status: "recent" | "unfinished"; readonly exported_at: string | undefined }
  | { readonly status: "finished"; readonly accounts: number; readonly left_out: number };

/**
 * Exports the accounts of a pool into a bucket as JSON Lines, if the last export began a period ago. An export that does not
 * end within a run is resumed by the next one, after its last complete part. Readers see the previous export until the new
 * one is complete.
 *
 * @throws Error if the upload or the pool can no longer be read where the last run stopped. The next run begins anew
 */
export async function exportAccounts(
  context: ExportContext,
  { left, isForced = false, onProgress }: ExportOptions,
): Promise<ExportOutcome> {
  const now = context.runtime.now();
  const state = await readState(context);
  const { exported_at } = state;
  const isWithin = (since: string, ms: number) => now.getTime() - Date.parse(since) < ms;
  const resumed = state.upload && isWithin(state.upload.started_at, resumableMs) ? state.upload : undefined;
  if (!resumed && !isForced && exported_at !== undefined && isWithin(exported_at, exportPeriodMs))
    return { status: "recent", exported_at };

  const began = resumed ?? (await begin(context, now));
  try {
    const { upload, rest } = await uploadPages(context, began, { left, onProgress, exported_at });
    if (!rest) return { status: "unfinished", exported_at };
    await complete(context, upload.id, [...upload.parts, await uploadPart(context, upload, rest)]);
    await writeState(context, { exported_at: upload.started_at });
    return { status: "finished", accounts: upload.accounts, left_out: upload.left_out };
  } catch (error) {
    if (resumed && isLost(error)) await writeState(context, { exported_at });
    throw error;
  }
}

type PagesOptions = Pick<ExportOptions, "left" | "onProgress"> & Pick<State, "exported_at">;

/**
 * Uploads the parts that are followed by another, and stores the state after each.
 *
 * @returns the upload with the sums of all accounts, and the last part. Without the last part if the time has run out
 */
async function uploadPages(context: ExportContext, began: Upload, { left, onProgress, exported_at }: PagesOptions) {
  let upload = began;
  let { accounts, left_out } = began;
  let lines: Buffer[] = [];
  let bytes = 0;
  for await (const page of listAccounts(context, began.next)) {
    const { next } = page;
    const line = Buffer.from(linesOf(page.accounts));
    lines.push(line);
    bytes += line.length;
    accounts += page.accounts.length;
    left_out += page.leftOut;
    onProgress?.(accounts);
    if (next === undefined) return { upload: { ...upload, accounts, left_out }, rest: lines };
    if (bytes >= partBytes) {
      const etag = await uploadPart(context, upload, lines);
      upload = { ...upload, next, accounts, left_out, parts: [...upload.parts, etag] };
      await writeState(context, { exported_at, upload });
      [lines, bytes] = [[], 0];
    }
    if (left() <= 0) break;
  }
  return { upload };
}

async function begin(context: ExportContext, now: Date): Promise<Upload> {
  const { s3, bucket: Bucket, poolId } = context;
  const { UploadId: id = "" } = await s3.send(
    new CreateMultipartUploadCommand({ Bucket, Key: exportKey(poolId), ContentType: "application/jsonl" }),
  );
  return { id, started_at: now.toISOString(), parts: [], accounts: 0, left_out: 0 };
}

async function uploadPart({ s3, bucket: Bucket, poolId }: ExportContext, { id, parts }: Upload, lines: Buffer[]) {
  const place = { Bucket, Key: exportKey(poolId), UploadId: id, PartNumber: parts.length + 1 };
  const { ETag = "" } = await s3.send(new UploadPartCommand({ ...place, Body: Buffer.concat(lines) }));
  return ETag;
}

async function complete({ s3, bucket: Bucket, poolId }: ExportContext, UploadId: string, etags: readonly string[]) {
  const Parts = etags.map((ETag, n) => ({ ETag, PartNumber: n + 1 }));
  const Key = exportKey(poolId);
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
}

async function readState({ s3, bucket: Bucket, poolId }: ExportContext): Promise<State> {
  try {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key: exportStateKey(poolId) }));
    return v.parse(State, JSON.parse((await Body?.transformToString()) ?? ""));
  } catch (error) {
    if (error instanceof NoSuchKey) return {};
    throw error;
  }
}

async function writeState({ s3, bucket: Bucket, poolId }: ExportContext, state: State): Promise<void> {
  await s3.send(new PutObjectCommand({ Bucket, Key: exportStateKey(poolId), Body: JSON.stringify(state) }));
}

/** Whether an export can never be resumed: the upload was aborted, another run has replaced a part, or the token expired. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && ["NoSuchUpload", "InvalidPart", "InvalidParameterException"].includes(error.name);
