import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Key } from "#lib/store/keys.ts";
import { deliver, type Outcome } from "./streams/deliver.ts";
import { openStream, type StreamRecord } from "./streams/reader.ts";

export type Streams = {
  /** Waits until all current records of the stream have been delivered. Returns the results. */
  readonly settled: () => Promise<void>;
  /** Records that were dropped, because they failed as often as Lambda would retry them. */
  readonly deadLetters: readonly StreamRecord[];
  readonly stop: () => Promise<void>;
};

/** A consumer of the stream, and the prefixes of the keys that it receives. */
type Consumer = {
  readonly sources: readonly Key[];
  /** Called with an event of Lambda's form. */
  readonly invoke: (event: { readonly Records: readonly StreamRecord[] }) => Promise<unknown>;
};

type StreamOptions = {
  readonly endpoint: string;
  readonly tableName: string;
  readonly consumers: readonly Consumer[];
  /** File with the position in each shard. Without it, every start reads from the beginning. */
  readonly checkpointFile?: string;
  readonly pollMs?: number;
};

/** Reads the table's stream and calls its consumers, as Lambda's event source mappings do. */
export async function startStreams({
  endpoint,
  tableName,
  consumers,
  checkpointFile,
  pollMs = 500,
}: StreamOptions): Promise<Streams> {
  const stream = await openStream(endpoint, tableName);
  const checkpoints = await readCheckpoints(checkpointFile);
  const deadLetters: StreamRecord[] = [];
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  /** Reads every shard once, after the previous reads. Returns the number of records. */
  const look = (): Promise<number> => {
    const next = last.then(lookAtAll);
    last = next.catch(() => {});
    return next;
  };
  const polling = poll();

  return {
    async settled() {
      while ((await look()) > 0);
    },
    deadLetters,
    async stop() {
      stopping.abort();
      await polling;
      await last;
    },
  };

  async function lookAtAll(): Promise<number> {
    let count = 0;
    for (const shard of await stream.shards()) {
      const records = await stream.read(shard, checkpoints.get(shard));
      const outcomes = await Promise.all(consumers.map((consumer) => deliverTo(consumer, records)));
      deadLetters.push(...outcomes.flatMap((outcome) => outcome.deadLetters));
      count += records.length;
      const end = records.at(-1)?.dynamodb.SequenceNumber;
      if (end !== undefined) checkpoints.set(shard, end);
    }
    if (count > 0 && checkpointFile) await keepCheckpoints(checkpointFile, checkpoints);
    return count;
  }

  async function poll(): Promise<void> {
    const { signal } = stopping;
    while (!signal.aborted) {
      await look().catch((error: unknown) => {
        if (!signal.aborted) console.error(error);
      });
      await wait(pollMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** Whether a record passes the filter of an event source mapping. */
export const isWanted = (sources: readonly Key[], { dynamodb: { Keys } }: StreamRecord): boolean =>
  sources.some(({ pk, sk }) => Keys.pk.S.startsWith(pk) && Keys.sk.S.startsWith(sk));

const deliverTo = ({ sources, invoke }: Consumer, records: readonly StreamRecord[]): Promise<Outcome> =>
  deliver(
    records.filter((record) => isWanted(sources, record)),
    invoke,
  );

/**
 * Replaces the file atomically, because the process can be killed at any time. Records may then be delivered again.
 * Markers in the table prevent them from being counted twice.
 */
async function keepCheckpoints(file: string, checkpoints: ReadonlyMap<string, string>): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify([...checkpoints]));
  await rename(`${file}.new`, file);
}

async function readCheckpoints(file: string | undefined): Promise<Map<string, string>> {
  if (file === undefined) return new Map();
  const text = await readFile(file, "utf8").catch(() => "[]");
  return new Map(JSON.parse(text) as [string, string][]);
}
