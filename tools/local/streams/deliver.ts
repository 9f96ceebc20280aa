import * as v from "valibot";
import type { StreamRecord } from "./reader.ts";

/** The settings of the projections' event source mapping. That of the events retries for 23 hours. */
export const mapping = { batchSize: 40, retryAttempts: 10 } as const;

export type Outcome = { readonly deadLetters: StreamRecord[] };

const Response = v.nullish(
  v.object({ batchItemFailures: v.optional(v.array(v.object({ itemIdentifier: v.string() })), []) }),
);

type Invoke = (event: { readonly Records: readonly StreamRecord[] }) => Promise<unknown>;

/**
 * Delivers a shard's records in order and in batches. After a partial failure, continues with the first failed record.
 * If the whole batch fails, halves it, and drops a single record that keeps failing.
 */
export async function deliver(records: readonly StreamRecord[], invoke: Invoke): Promise<Outcome> {
  const deadLetters: StreamRecord[] = [];
  let size: number = mapping.batchSize;
  let failures = 0;
  for (let at = 0; at < records.length; ) {
    const batch = records.slice(at, at + size);
    const done = await doneOf(batch, invoke);
    at += done;
    if (done === batch.length) {
      size = mapping.batchSize;
      failures = 0;
      continue;
    }
    size = Math.max(1, Math.ceil(batch.length / 2));
    failures = done === 0 ? failures + 1 : 1;
    const poison = records[at];
    if (failures > mapping.retryAttempts && poison) {
      deadLetters.push(poison);
      at += 1;
      failures = 0;
    }
  }
  return { deadLetters };
}

/** Returns how many records of a batch succeeded, from its start. */
async function doneOf(batch: readonly StreamRecord[], invoke: Invoke): Promise<number> {
  try {
    const { batchItemFailures = [] } = v.parse(Response, await invoke({ Records: batch })) ?? {};
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const first = batch.findIndex(({ dynamodb }) => failed.has(dynamodb.SequenceNumber));
    return first === -1 ? batch.length : first;
  } catch (error) {
    console.error(error);
    return 0;
  }
}
