import { paginateListObjectsV2, S3Client } from "@aws-sdk/client-s3";
import { env } from "#lib/env.ts";
import { erasuresPrefix } from "#lib/person/outside.ts";

/** Reads the ids of all erased users from the bucket of erasures. */
export async function* erasedUsers(): AsyncGenerator<number> {
  const endpoint = env("AWS_ENDPOINT_URL_S3");
  const client = new S3Client({ ...(endpoint !== undefined && { endpoint, forcePathStyle: true }) });
  try {
    const input = { Bucket: env("ERASURES_BUCKET"), Prefix: erasuresPrefix };
    for await (const { Contents = [] } of paginateListObjectsV2({ client }, input))
      for (const { Key = "" } of Contents) yield Number(Key.slice(erasuresPrefix.length));
  } finally {
    client.destroy();
  }
}
