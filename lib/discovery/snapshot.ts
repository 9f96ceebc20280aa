import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as v from "valibot";
import { logError } from "../log.ts";
import type { Item } from "../store/expression.ts";
import { keys } from "../store/keys.ts";
import type { Reader, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { chunkOf, columnsFrom } from "./chunk.ts";
import type { Columns } from "./columns.ts";

/** What a snapshot must be like. */
const Made = v.object({
  /** When it was made, in milliseconds. */
  version: v.number(),
  /** When its newest row was written, in milliseconds. */
  seen: v.number(),
  rows: v.number(),
  name_bytes: v.number(),
  record_bytes: v.number(),
  chunks: v.number(),
  /** CRC-32 of all chunks as they are stored. */
  checksum: v.number(),
});
export type Made = v.InferOutput<typeof Made>;

/** The newest snapshot, and the one before it. Whoever reads another `format` than their own reads the rows instead. */
const Pointer = v.object({ format: v.literal(2), snapshots: v.array(Made) });

const hour = 60 * 60 * 1000;

/** Half of how long rows tell what has left the directory. */
export const freshFor = 24 * hour;

/** An item holds 400 KB with its key and attributes. */
const mostBytes = 390 * 1024;

/** Chunks in a round trip: enough for a small directory to be read in one or two, not so many as to fill the memory. */
const wave = 8;

/** The snapshots there are, newest first, without those too old to be completed from the rows. */
export async function list(table: Reader, now: Date): Promise<Made[]> {
  const item = await table.get(keys.snapshot());
  const pointer = v.safeParse(Pointer, item);
  if (item && !pointer.success) logError(new Error("The directory's snapshot is of another format"), {});
  const snapshots = pointer.success ? pointer.output.snapshots : [];
  return snapshots.filter(({ version }) => now.getTime() - version < freshFor);
}

/** A snapshot that is read chunk by chunk; where that fails, it can be gone on with. Undefined where it is broken. */
export function reading(made: Made): { read(table: Reader): Promise<Columns | undefined> } {
  const { rows, name_bytes, record_bytes } = made;
  let columns: ReturnType<typeof columnsFrom> | undefined;
  let next = 0;
  let checksum = 0;

  return {
    async read(table) {
      while (next < made.chunks) {
        const numbers = Array.from({ length: Math.min(wave, made.chunks - next) }, (_, n) => next + n);
        const items = await table.getAll(numbers.map((n) => keys.snapshotChunk(made.version, n)));
        try {
          for (const n of numbers) append(items.find(({ sk }) => sk === keys.snapshotChunk(made.version, n).sk));
        } catch (cause) {
          return broken(made, cause);
        }
      }
      const whole = checksum === made.checksum ? columns?.end() : undefined;
      return whole ?? broken(made);
    },
  };

  function append(item: Item | undefined): void {
    // Not before it is needed: there is no memory for the one before as well.
    columns ??= columnsFrom({ rows, nameBytes: name_bytes, recordBytes: record_bytes });
    const { data } = v.parse(Chunk, item);
    checksum = crc32(data, checksum);
    columns.append(zstdDecompressSync(data, decompression));
    next++;
  }
}

function broken({ version }: Made, cause?: unknown): undefined {
  logError(new Error("The directory's snapshot is broken", { cause }), { version });
}

const Chunk = v.object({ data: v.instance(Uint8Array) });

/** Stores a snapshot and makes it the newest of two. Until it is whole, and where it breaks, the last one serves. */
export async function add(table: Writer, columns: Columns, seen: number, now: Date): Promise<void> {
  const [last] = await list(table, now);
  const version = now.getTime();
  const expires_at = Math.floor((version + 2 * freshFor) / 1000);
  let checksum = 0;
  let count = 0;
  for (const data of compressed(columns, 0, columns.size)) {
    await write(table, [{ put: { ...keys.snapshotChunk(version, count), data, expires_at } }]);
    checksum = crc32(data, checksum);
    count++;
  }
  const [name_bytes, record_bytes] = [columns.names.bytes.length, columns.records.length];
  const made: Made = { version, seen, rows: columns.size, name_bytes, record_bytes, chunks: count, checksum };
  const snapshots = last ? [made, last] : [made];
  await write(table, [{ put: { ...keys.snapshot(), format: 2, snapshots } }]);
}

/** Rows as compressed chunks; those that take more than an item holds are halved. */
function* compressed(columns: Columns, from: number, to: number): Generator<Uint8Array> {
  const bytes = to - from > mostRows ? undefined : zstdCompressSync(chunkOf(columns, from, to), compression);
  if (bytes && bytes.length <= mostBytes) {
    yield bytes;
  } else {
    const middle = (from + to) >>> 1;
    yield* compressed(columns, from, middle);
    yield* compressed(columns, middle, to);
  }
}

/** More than ever fit into one chunk: not worth trying to compress. */
const mostRows = 12_000;

/** As large as most chunks are, so that they need not be put together from pieces. */
const decompression = { chunkSize: 2 * 1024 * 1024 };

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
