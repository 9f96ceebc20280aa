import { type ErasureContext, replay } from "#lib/person/erasure.ts";

type Report = {
  /** Called after each erasure. */
  readonly onProgress: (done: number) => void;
  /** Called with each erasure that failed, as one line of text. */
  readonly onFailed: (line: string) => void;
};

/**
 * Repeats the erasures of users one by one. A failure does not stop the others. @returns the number of erasures by
 * result
 */
export async function replayAll(
  context: ErasureContext,
  userIds: AsyncIterable<number>,
  { onProgress, onFailed }: Report,
) {
  const counts = { erased: 0, already_erased: 0, unknown: 0, failed: 0 };
  let done = 0;
  for await (const userId of userIds) {
    try {
      counts[await replay(context, userId)]++;
    } catch (error) {
      counts.failed++;
      onFailed(`user ${userId} could not be erased: ${(error as Error).message}`);
    }
    onProgress(++done);
  }
  return counts;
}
