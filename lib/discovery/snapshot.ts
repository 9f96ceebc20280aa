import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as v from "valibot";
import { logError } from "../log.ts";
import type { Item } from "../store/expression.ts";
import { keys } from "../store/keys.ts";
import type { Reader, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { columnsDecoder, encodeChunk } from "./chunk.ts";
import type { Columns } from "./columns.ts";

/** What a complete snapshot must be like. */
const SnapshotInfo = v.object({
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
export type SnapshotInfo = v.InferOutput<typeof SnapshotInfo>;

/** The newest snapshot and the one before it. A reader that expects another `format` reads the rows instead. */
const Pointer = v.object({ format: v.literal(2), snapshots: v.array(SnapshotInfo) });

const hour = 60 * 60 * 1000;

/** For how long a snapshot can be completed from the rows, in milliseconds: half as long as tombstones are kept. */
export const maxAge = 24 * hour;

/** An item holds 400 KB with its key and attributes. */
const maxChunkBytes = 390 * 1024;

/** Chunks read in a round trip: a small directory takes one or two, and a large one does not fill the memory. */
const chunksPerRead = 8;

/** The snapshots that can still be completed from the rows, newest first. */
export async function list(table: Reader, now: Date): Promise<SnapshotInfo[]> {
  const item = await table.get(keys.snapshot());
  const pointer = v.safeParse(Pointer, item);
  if (item && !pointer.success) logError(new Error("The directory's snapshot has another format"), {});
  const snapshots = pointer.success ? pointer.output.snapshots : [];
  return snapshots.filter(({ version }) => now.getTime() - version < maxAge);
}

/** Reads a snapshot chunk by chunk. After a failure of the table, `read` resumes; it returns undefined if it is broken. */
export function reader(info: SnapshotInfo): { read(table: Reader): Promise<Columns | undefined> } {
  const { rows, name_bytes, record_bytes } = info;
  let decoder: ReturnType<typeof columnsDecoder> | undefined;
  let next = 0;
  let checksum = 0;

  return {
    async read(table) {
      while (next < info.chunks) {
        const numbers = Array.from({ length: Math.min(chunksPerRead, info.chunks - next) }, (_, n) => next + n);
        const items = await table.getAll(numbers.map((n) => keys.snapshotChunk(info.version, n)));
        try {
          for (const n of numbers) append(items.find(({ sk }) => sk === keys.snapshotChunk(info.version, n).sk));
        } catch (cause) {
          return broken(info, cause);
        }
      }
      const columns = checksum === info.checksum ? decoder?.finish() : undefined;
      return columns ?? broken(info);
    },
  };

  function append(item: Item | undefined): void {
    // Allocated only now, as the columns of a broken snapshot must be free before.
    decoder ??= columnsDecoder({ rows, nameBytes: name_bytes, recordBytes: record_bytes });
    const { data } = v.parse(Chunk, item);
    checksum = crc32(data, checksum);
    decoder.append(zstdDecompressSync(data, decompression));
    next++;
  }
}

function broken({ version }: SnapshotInfo, cause?: unknown): undefined {
  logError(new Error("The directory's snapshot is broken", { cause }), { version });
}

const Chunk = v.object({ data: v.instance(Uint8Array) });

/**
 * Stores a snapshot and makes it the newest of two. The previous one serves until this one is complete.
 *
 * @param seen when the newest row in it was written, in milliseconds
 */
export async function add(table: Writer, columns: Columns, seen: number, now: Date): Promise<void> {
  const [last] = await list(table, now);
  const version = now.getTime();
  const expires_at = Math.floor((version + 2 * maxAge) / 1000);
  let checksum = 0;
  let count = 0;
  for (const data of compressedChunks(columns, 0, columns.size)) {
    await write(table, [{ put: { ...keys.snapshotChunk(version, count), data, expires_at } }]);
    checksum = crc32(data, checksum);
    count++;
  }
  const [name_bytes, record_bytes] = [columns.names.bytes.length, columns.records.length];
  const info: SnapshotInfo = { version, seen, rows: columns.size, name_bytes, record_bytes, chunks: count, checksum };
  const snapshots = last ? [info, last] : [info];
  await write(table, [{ put: { ...keys.snapshot(), format: 2, snapshots } }]);
}

/** The rows as compressed chunks. Those that are too large for an item are split in half. */
function* compressedChunks(columns: Columns, from: number, to: number): Generator<Uint8Array> {
  const bytes = to - from > maxRows ? undefined : zstdCompressSync(encodeChunk(columns, from, to), compression);
  if (bytes && bytes.length <= maxChunkBytes) {
    yield bytes;
  } else {
    const middle = (from + to) >>> 1;
    yield* compressedChunks(columns, from, middle);
    yield* compressedChunks(columns, middle, to);
  }
}

/** More rows never fit into one chunk, so compressing them is not tried. */
const maxRows = 12_000;

/** The size of most decompressed chunks, so that their output is one piece. */
const decompression = { chunkSize: 2 * 1024 * 1024 };

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
