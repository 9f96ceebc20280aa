import { readFile, rename, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { Key } from "#lib/store/keys.ts";
import { deliver, type Outcome } from "./streams/deliver.ts";
import { openStream, type StreamRecord } from "./streams/reader.ts";

export type Streams = {
  /** Resolves once everything that is in the stream by now has been delivered, and what came of that. */
  readonly settled: () => Promise<void>;
  /** What was given up on after as many attempts as Lambda makes. */
  readonly deadLetters: readonly StreamRecord[];
  readonly stop: () => Promise<void>;
};

/** A function that is called with the stream: with the items whose keys start like this. */
type Consumer = {
  readonly sources: readonly Key[];
  /** Takes an event of Lambda's shape. */
  readonly invoke: (event: { readonly Records: readonly StreamRecord[] }) => Promise<unknown>;
};

type Options = {
  readonly endpoint: string;
  readonly tableName: string;
  readonly consumers: readonly Consumer[];
  /** Where it is kept how far each shard has been read; without one, every start reads from the beginning. */
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
}: Options): Promise<Streams> {
  const stream = await openStream(endpoint, tableName);
  const checkpoints = await readCheckpoints(checkpointFile);
  const deadLetters: StreamRecord[] = [];
  const stopping = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  /** One look at every shard, after the looks before it; tells how many records there were. */
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

/** What passes the filter of an event source mapping. */
export const isWanted = (sources: readonly Key[], { dynamodb: { Keys } }: StreamRecord): boolean =>
  sources.some(({ pk, sk }) => Keys.pk.S.startsWith(pk) && Keys.sk.S.startsWith(sk));

const deliverTo = ({ sources, invoke }: Consumer, records: readonly StreamRecord[]): Promise<Outcome> =>
  deliver(
    records.filter((record) => isWanted(sources, record)),
    invoke,
  );

/** In one step, as this process may be killed at any moment. What is delivered again then has its marker. */
async function keepCheckpoints(file: string, checkpoints: ReadonlyMap<string, string>): Promise<void> {
  await writeFile(`${file}.new`, JSON.stringify([...checkpoints]));
  await rename(`${file}.new`, file);
}

async function readCheckpoints(file: string | undefined): Promise<Map<string, string>> {
  if (file === undefined) return new Map();
  const text = await readFile(file, "utf8").catch(() => "[]");
  return new Map(JSON.parse(text) as [string, string][]);
}
