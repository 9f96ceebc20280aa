import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { connectBucket } from "#lib/store/objects.ts";
import type { Serving } from "../../../tools/local/loopback.ts";
import { startS3 } from "../../../tools/local/s3.ts";
import { temporaryFolder } from "../../support/set-up.ts";

const folder = temporaryFolder();
const key = "directory/11112222-3333-4444-8555-666677778888";
const body = new Uint8Array(300_000).map((_, n) => n * 7);

const servers: Serving[] = [];
beforeAll(async () => {
  servers.push(await startS3({ secretAccessKey: "a secret" }), await startS3({ secretAccessKey: "a secret", folder }));
});
afterAll(() => Promise.all(servers.map(({ close }) => close())));
afterEach(() => {
  vi.unstubAllEnvs();
});

async function read(objects: ReturnType<typeof connectBucket>, from = 0, signal?: AbortSignal): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  await objects.read(key, from, (piece) => pieces.push(piece), signal);
  return Buffer.concat(pieces);
}

describe.each([
  ["in memory", 0],
  ["in a folder", 1],
])("S3 %s", (_, n) => {
  let objects: ReturnType<typeof connectBucket>;
  beforeEach(() => {
    vi.stubEnv("AWS_ENDPOINT_URL_S3", servers[n]?.url ?? "");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "a secret");
    vi.stubEnv("SNAPSHOTS_BUCKET", "odis-snapshots");
    objects = connectBucket("SNAPSHOTS_BUCKET");
  });

  it("S3 returns an object and its parts until it is deleted", async () => {
    await objects.put(key, body);
    expect((await read(objects)).equals(body)).toBe(true);
    expect((await read(objects, 200_000)).equals(body.subarray(200_000))).toBe(true);
    await objects.delete(key);
    await objects.delete(key);
    await expect(read(objects)).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("S3 separates the objects of buckets", async () => {
    await objects.put(key, body);
    vi.stubEnv("SNAPSHOTS_BUCKET", "another");
    await expect(read(objects)).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("S3 lists the objects of a bucket by prefix", async () => {
    await objects.put(key, body);
    await objects.put("other/one", body);
    const client = new S3Client({ endpoint: servers[n]?.url ?? "", forcePathStyle: true });
    const input = { Bucket: "odis-snapshots", Prefix: "other/" };
    const { Contents = [], IsTruncated } = await client.send(new ListObjectsV2Command(input));
    client.destroy();
    expect([Contents.map(({ Key }) => Key), IsTruncated]).toEqual([["other/one"], false]);
  });

  it("S3 refuses unsigned requests and those with another secret", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "another secret");
    await expect(read(objects)).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
    expect((await fetch(`${servers[n]?.url}/odis-snapshots/${key}`)).status).toBe(403);
  });

  it("an aborted signal throws `timeout`, also in the middle of an object", async () => {
    await objects.put(key, body);
    const controller = new AbortController();
    const reading = objects.read(key, 0, () => controller.abort(), controller.signal);
    await expect(reading).rejects.toMatchObject({ code: "timeout" });
    await expect(read(objects, 0, AbortSignal.abort())).rejects.toMatchObject({ code: "timeout" });
  });
});

it("an unreachable bucket throws `unavailable`", async () => {
  const closed = await startS3({ secretAccessKey: "" });
  await closed.close();
  vi.stubEnv("AWS_ENDPOINT_URL_S3", closed.url);
  vi.stubEnv("SNAPSHOTS_BUCKET", "odis-snapshots");
  await expect(connectBucket("SNAPSHOTS_BUCKET").put(key, body)).rejects.toMatchObject({ code: "unavailable" });
});
