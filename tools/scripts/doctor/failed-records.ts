import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { s3Client } from "#lib/aws.ts";
import type { Check, Fault } from "./check.ts";
import { outputOf } from "./stack.ts";

/** Stream records that a consumer gave up on. @param keys names of the first objects in their bucket */
export function failedRecordFaults(stage: string, keys: readonly string[]): readonly Fault[] {
  const isLocal = stage === "local";
  if (keys.length === 0) return [];
  return [
    {
      says: "A consumer of the table's stream gave up on records, which are deleted after 35 days. Mend the cause first (EventsGivenUp and ProjectionsGivenUp in docs/operations.md).",
      command: `npm run redrive -- ${isLocal ? "--bucket odis-local" : `--stage ${stage}`}`,
    },
  ];
}

export const failedRecords: Check = {
  name: "records set aside",
  isLocal: true,
  async look(stack) {
    const input = { Bucket: outputOf(stack, "FailedRecordsBucketName"), Prefix: "aws/lambda/", MaxKeys: 1 };
    const { Contents = [] } = await s3Client().send(new ListObjectsV2Command(input));
    return failedRecordFaults(
      stack.stage,
      Contents.map(({ Key = "" }) => Key),
    );
  },
};
