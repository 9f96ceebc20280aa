import { constants, crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as v from "valibot";
import { chunkOf, columnsFrom } from "../domain/directory-chunk.ts";
import type { Columns } from "../domain/directory-columns.ts";
import { logError } from "../log.ts";
import type { Item } from "./expression.ts";
import { keys } from "./keys.ts";
import type { Reader, Writer } from "./table.ts";
import { write } from "./write.ts";

/** What the newest snapshot must be like. Whoever reads another `format` than their own reads the rows instead. */
const Pointer = v.object({
  format: v.literal(1),
  /** When it was made, in milliseconds. */
  version: v.number(),
  /** When its newest row was written, in milliseconds. */
  seen: v.number(),
  rows: v.number(),
  record_bytes: v.number(),
  chunks: v.number(),
  /** CRC-32 of all chunks as they are stored. */
  checksum: v.number(),
});
type Pointer = v.InferOutput<typeof Pointer>;

const hour = 60 * 60 * 1000;

/** Half of how long rows tell what has left the directory. */
export const freshFor = 24 * hour;

/** An item holds 400 KB with its key and attributes. */
const mostBytes = 390 * 1024;

/** Chunks under way at once: enough to keep the processor busy, not so many as to fill the memory. */
const wave = 4;

/** The newest snapshot's pointer, unless it is too old to be completed from the rows. */
export async function newest(table: Reader, now: Date): Promise<Pointer | undefined> {
  const item = await table.get(keys.snapshot());
  const pointer = v.safeParse(Pointer, item);
  if (item && !pointer.success) logError(new Error("The directory's snapshot is of another format"), {});
  return pointer.success && now.getTime() - pointer.output.version < freshFor ? pointer.output : undefined;
}

type Snapshot = {
  readonly columns: Columns;
  /** When the newest row was written that it has taken in. */
  readonly seen: number;
};

/** The newest snapshot; undefined where there is none, or it is not whole. */
export async function read(table: Reader, now: Date): Promise<Snapshot | undefined> {
  const pointer = await newest(table, now);
  if (!pointer) return undefined;
  const columns = columnsFrom({ rows: pointer.rows, recordBytes: pointer.record_bytes });
  let checksum = 0;
  for await (const item of chunks(table, pointer)) {
    try {
      const { data } = v.parse(Chunk, item);
      checksum = crc32(data, checksum);
      columns.append(zstdDecompressSync(data));
    } catch (cause) {
      return broken(pointer, cause);
    }
  }
  const whole = checksum === pointer.checksum ? columns.end() : undefined;
  return whole ? { columns: whole, seen: pointer.seen } : broken(pointer);
}

function broken({ version }: Pointer, cause?: unknown): undefined {
  logError(new Error("The directory's snapshot is broken", { cause }), { version });
}

const Chunk = v.object({ data: v.instance(Uint8Array) });

async function* chunks(table: Reader, { version, chunks: count }: Pointer): AsyncGenerator<Item | undefined> {
  for (let start = 0; start < count; start += wave) {
    const numbers = Array.from({ length: Math.min(wave, count - start) }, (_, n) => start + n);
    yield* await Promise.all(numbers.map((n) => table.get(keys.snapshotChunk(version, n))));
  }
}

/** Stores a snapshot and makes it the newest. Those before it expire. */
export async function add(table: Writer, columns: Columns, seen: number, now: Date): Promise<void> {
  const version = now.getTime();
  const expires_at = Math.floor((version + 2 * freshFor) / 1000);
  let checksum = 0;
  let count = 0;
  for (const data of compressed(columns, 0, columns.size)) {
    await write(table, [{ put: { ...keys.snapshotChunk(version, count), data, expires_at } }]);
    checksum = crc32(data, checksum);
    count++;
  }
  const record_bytes = columns.records.length;
  const pointer: Pointer = { format: 1, version, seen, rows: columns.size, record_bytes, chunks: count, checksum };
  await write(table, [{ put: { ...keys.snapshot(), ...pointer } }]);
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

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 9 } };
