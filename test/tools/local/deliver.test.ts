import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deliver, mapping } from "../../../tools/local/streams/deliver.ts";
import type { StreamRecord } from "../../../tools/local/streams/reader.ts";

beforeEach(() => void vi.spyOn(console, "error").mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

const records = (count: number): StreamRecord[] =>
  Array.from({ length: count }, (_, n) => ({
    eventID: `${n}`,
    dynamodb: { Keys: { pk: { S: "A" }, sk: { S: `${n}` } }, SequenceNumber: `${n}` },
  }));

const numbers = (all: readonly StreamRecord[]) => all.map(({ eventID }) => Number(eventID));

/** Creates a function that records its batches and returns the given results. */
function consumer(answer: (batch: number[], call: number) => number[] | undefined) {
  const batches: number[][] = [];
  return {
    batches,
    invoke: async ({ Records }: { readonly Records: readonly StreamRecord[] }) => {
      const batch = numbers(Records);
      batches.push(batch);
      const failed = answer(batch, batches.length);
      return failed && { batchItemFailures: failed.map((n) => ({ itemIdentifier: `${n}` })) };
    },
  };
}

describe("a shard", () => {
  it("a shard is delivered in order and in batches", async () => {
    const { batches, invoke } = consumer(() => undefined);
    expect(await deliver(records(100), invoke)).toEqual({ deadLetters: [] });
    expect(batches.map(({ length }) => length)).toEqual([40, 40, 20]);
    expect(batches.flat()).toEqual(numbers(records(100)));
  });

  it("delivery continues with the first failed record after a partial failure", async () => {
    const { batches, invoke } = consumer((_, call) => (call === 1 ? [4, 2] : []));
    await deliver(records(6), invoke);
    expect(batches).toEqual([[0, 1, 2, 3, 4, 5], [2, 3, 4], [5]]);
  });

  it("a batch is halved after the function has thrown", async () => {
    const { batches, invoke } = consumer((_, call) => {
      if (call < 3) throw new Error("Out of memory");
      return [];
    });
    await deliver(records(8), invoke);
    expect(batches.map(({ length }) => length)).toEqual([8, 4, 2, 6]);
  });

  it("delivery drops a record that keeps failing and continues with the next one", async () => {
    const { batches, invoke } = consumer((batch) => batch.filter((n) => n === 3));
    const { deadLetters } = await deliver(records(6), invoke);
    expect(numbers(deadLetters)).toEqual([3]);
    expect(batches.filter((batch) => batch[0] === 3)).toHaveLength(mapping.retryAttempts);
    expect(batches.at(-1)).toContain(5);
  });
});
