import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3";

/**
 * Deletes all objects of a bucket with all their versions.
 *
 * @returns the number of versions
 * @throws Error if S3 could not delete one
 */
export async function emptyBucket(s3: S3Client, Bucket: string): Promise<number> {
  let count = 0;
  for (;;) {
    // The first page again, because the versions of the last one are gone.
    const { Versions = [], DeleteMarkers = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return count;
    const { Errors: [failure] = [] } = await s3.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
    );
    if (failure) throw new Error(`${Bucket}: ${failure.Key} could not be deleted: ${failure.Code}`);
    count += Objects.length;
  }
}
