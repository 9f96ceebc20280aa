import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from "@aws-sdk/client-s3";
import { expect, it } from "vitest";
import { emptyBucket } from "../../../tools/scripts/empty-bucket.ts";

type Version = { readonly Key: string; readonly VersionId: string };

/** A bucket with these versions, which are listed two at a time. Versions of `locked` cannot be deleted. */
function bucketWith(versions: readonly Version[], markers: readonly Version[] = []) {
  let [Versions, DeleteMarkers] = [versions, markers];
  const send = async (command: object) => {
    if (command instanceof ListObjectVersionsCommand)
      return { Versions: Versions.slice(0, 2), DeleteMarkers: DeleteMarkers.slice(0, 2) };
    if (!(command instanceof DeleteObjectsCommand)) throw new Error("Unknown command");
    const gone = command.input.Delete?.Objects ?? [];
    if (gone.some(({ Key }) => Key === "locked")) return { Errors: [{ Key: "locked", Code: "AccessDenied" }] };
    const isLeft = (version: Version) =>
      !gone.some(({ Key, VersionId }) => Key === version.Key && VersionId === version.VersionId);
    [Versions, DeleteMarkers] = [Versions.filter(isLeft), DeleteMarkers.filter(isLeft)];
    return {};
  };
  return { s3: { send } as unknown as S3Client, left: () => [...Versions, ...DeleteMarkers] };
}

it("emptying a bucket deletes all versions and delete markers of all objects", async () => {
  const versions = ["1", "2", "3", "4", "5"].map((VersionId) => ({ Key: "accounts.jsonl", VersionId }));
  const { s3, left } = bucketWith(versions, [{ Key: "removed", VersionId: "6" }]);
  expect(await emptyBucket(s3, "odis")).toBe(6);
  expect(left()).toEqual([]);
  expect(await emptyBucket(s3, "odis")).toBe(0);
});

it("emptying a bucket fails if an object cannot be deleted", async () => {
  const { s3 } = bucketWith([{ Key: "locked", VersionId: "1" }]);
  await expect(emptyBucket(s3, "odis")).rejects.toThrow("odis: locked could not be deleted: AccessDenied");
});
