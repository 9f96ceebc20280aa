import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as v from "valibot";
import { newUuid } from "../ids.ts";
import { logError } from "../log.ts";
import { Problem } from "../problem.ts";
import { keys } from "../store/keys.ts";
import type { Objects } from "../store/objects.ts";
import type { Reader, Writer } from "../store/table.ts";
import { write } from "../store/write.ts";
import { allocateColumns, type Columns } from "./columns.ts";

/** A snapshot of the directory, stored as an immutable object. */
const SnapshotInfo = v.object({
  /** Key of the object. */
  key: v.string(),
  /** The snapshot contains everything written before this time, in milliseconds, except late rows (`maxRowDelay`). */
  read_at: v.number(),
  rows: v.number(),
  name_bytes: v.number(),
  record_bytes: v.number(),
});
export type SnapshotInfo = v.InferOutput<typeof SnapshotInfo>;

/** The newest and the previous snapshot. A reader that expects another `format` reads the rows instead. */
const Pointer = v.object({ format: v.literal(4), snapshots: v.array(SnapshotInfo) });

const hour = 60 * 60 * 1000;

/** How long a snapshot can be brought up to date from the rows, in milliseconds. Half as long as tombstones are kept. */
export const maxAge = 24 * hour;

/** The snapshots that can still be brought up to date from the rows, newest first. */
export async function list(table: Reader, now: Date): Promise<readonly SnapshotInfo[]> {
  const item = await table.get(keys.snapshot());
  const pointer = v.safeParse(Pointer, item);
  if (item && !pointer.success) logError(new Error("The directory's snapshot has another format"), {});
  const snapshots = pointer.success ? pointer.output.snapshots : [];
  return snapshots.filter(({ read_at }) => now.getTime() - read_at < maxAge);
}

/** Reads a snapshot. After a failure of S3, `read` resumes; it returns undefined if the snapshot is broken. */
export function reader({ key, ...info }: SnapshotInfo): {
  read(objects: Objects, signal?: AbortSignal): Promise<Columns | undefined>;
} {
  let columns: Columns | undefined;
  let received = 0;
  let filled = 0;
  let rest = Buffer.alloc(0);

  function take(piece: Uint8Array): void {
    // Allocated late, so that the memory of a broken snapshot has been freed.
    const { image } = (columns ??= allocateColumns(info)).names;
    received += piece.length;
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 4 && rest.length - 4 >= rest.readUInt32LE()) {
      const end = 4 + rest.readUInt32LE();
      const bytes = zstdDecompressSync(rest.subarray(4, end), { chunkSize: frameBytes });
      image.set(bytes, filled);
      filled += bytes.length;
      rest = rest.subarray(end);
    }
  }

  return {
    async read(objects, signal) {
      try {
        await objects.read(key, received, take, signal);
      } catch (cause) {
        if (cause instanceof Problem) throw cause;
        return broken(key, cause);
      }
      return columns && filled === columns.names.image.length ? columns : broken(key);
    },
  };
}

function broken(key: string, cause?: unknown): undefined {
  logError(new Error("The directory's snapshot is broken", { cause }), { key });
}

/**
 * Stores a snapshot as the newest of two. The previous snapshot is kept for functions that are reading it. Throws a
 * `Conflict` if another run was faster.
 *
 * @param before the snapshots before the rows were read
 * @param readAt time before the rows were read, in milliseconds
 */
export async function add(
  { table, objects }: { readonly table: Writer; readonly objects: Objects },
  columns: Columns,
  before: readonly SnapshotInfo[],
  readAt: number,
): Promise<void> {
  const key = `directory/${newUuid(table.runtime.random)}`;
  const { image, bytes } = columns.names;
  await objects.put(key, compressed(image));
  const sizes = { rows: columns.size, name_bytes: bytes.length, record_bytes: columns.records.length };
  const snapshots: SnapshotInfo[] = [{ key, read_at: readAt, ...sizes }, ...before.slice(0, 1)];
  const [newest, ...old] = before;
  const when = newest && ({ is: { newest: newest.key } } as const);
  await write(table, [{ put: { ...keys.snapshot(), format: 4, newest: key, snapshots }, ...(when && { when }) }]);
  for (const snapshot of old) await objects.delete(snapshot.key);
}

/** Uncompressed size of one frame in bytes. A frame takes a millisecond to decompress. */
const frameBytes = 1024 * 1024;

const compression = { params: { [constants.ZSTD_c_compressionLevel]: 6, [constants.ZSTD_c_checksumFlag]: 1 } };

/** Frames of zstd with checksums, each preceded by its length. */
function compressed(image: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < image.length; at += frameBytes) {
    const frame = zstdCompressSync(image.subarray(at, at + frameBytes), compression);
    parts.push(new Uint8Array(Uint32Array.of(frame.length).buffer), frame);
  }
  return Buffer.concat(parts);
}
