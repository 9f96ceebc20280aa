import type { Columns } from "./columns.ts";
import { allocateNames } from "./names.ts";

/** Total size of columns, so that memory is allocated once. */
export type ColumnSizes = { readonly rows: number; readonly nameBytes: number; readonly recordBytes: number };

/** Encodes the rows `from` to `to`: three lengths, then column after column, those that need alignment first. */
export function encodeChunk(columns: Columns, from: number, to: number): Uint8Array {
  const startOf = (ends: Uint32Array, gap: number) => (from === 0 ? 0 : (ends[from - 1] ?? 0) + gap);
  const endOf = (ends: Uint32Array) => ends[to - 1] ?? 0;
  const { names, recordEnds } = columns;
  const [nameStart, recordStart] = [startOf(names.ends, 1), startOf(recordEnds, 0)];
  const nameBytes = names.bytes.subarray(nameStart, endOf(names.ends) + 1);
  const records = columns.records.subarray(recordStart, endOf(recordEnds));
  return Buffer.concat(
    [
      Uint32Array.of(to - from, nameBytes.length, records.length, 0),
      columns.ids.subarray(from, to),
      columns.changed.subarray(from, to),
      columns.scores.subarray(from, to),
      columns.counts.subarray(from, to),
      columns.joiners.subarray(from, to),
      names.ends.subarray(from, to).map((end) => end - nameStart),
      recordEnds.subarray(from, to).map((end) => end - recordStart),
      columns.pinned.subarray(from, to),
      columns.uuids.subarray(from * 16, to * 16),
      nameBytes,
      records,
    ].map(({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength)),
  );
}

/** Decodes chunks, in their order, into columns of a known size. `append` throws a `RangeError` if a chunk does not fit. */
export function columnsDecoder({ rows, nameBytes, recordBytes }: ColumnSizes) {
  const columns: Columns = {
    size: rows,
    ids: new Float64Array(rows),
    changed: new Float64Array(rows),
    scores: new Float64Array(rows),
    counts: new Uint32Array(rows),
    joiners: new Uint32Array(rows),
    names: allocateNames(rows, nameBytes),
    recordEnds: new Uint32Array(rows),
    pinned: new Uint8Array(rows),
    uuids: new Uint8Array(rows * 16),
    records: new Uint8Array(recordBytes),
  };
  let row = 0;
  let nameEnd = 0;
  let recordEnd = 0;

  return {
    append(chunk: Uint8Array): void {
      const { buffer, byteOffset } = aligned(chunk);
      const [count = 0, nameLength = 0, recordLength = 0] = new Uint32Array(buffer, byteOffset, 4);
      let at = byteOffset + 16;
      const next = (bytes: number) => (at += bytes) - bytes;
      columns.ids.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.changed.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.scores.set(new Float64Array(buffer, next(count * 8), count), row);
      columns.counts.set(new Uint32Array(buffer, next(count * 4), count), row);
      columns.joiners.set(new Uint32Array(buffer, next(count * 4), count), row);
      setShifted(columns.names.ends, row, new Uint32Array(buffer, next(count * 4), count), nameEnd);
      setShifted(columns.recordEnds, row, new Uint32Array(buffer, next(count * 4), count), recordEnd);
      columns.pinned.set(new Uint8Array(buffer, next(count), count), row);
      columns.uuids.set(new Uint8Array(buffer, next(count * 16), count * 16), row * 16);
      columns.names.bytes.set(new Uint8Array(buffer, next(nameLength), nameLength), nameEnd);
      columns.records.set(new Uint8Array(buffer, next(recordLength), recordLength), recordEnd);
      row += count;
      nameEnd += nameLength;
      recordEnd += recordLength;
    },
    /** The columns; undefined if rows are missing. */
    finish(): Columns | undefined {
      return row === rows && nameEnd === nameBytes && recordEnd === recordBytes ? columns : undefined;
    },
  };
}

/** The same bytes at an address at which columns of numbers can be read without a copy. */
const aligned = (chunk: Uint8Array): Uint8Array => (chunk.byteOffset % 8 === 0 ? chunk : new Uint8Array(chunk));

/** Sets the ends of a chunk's rows, each moved by where the chunk starts. */
function setShifted(all: Uint32Array, row: number, ends: Uint32Array, start: number): void {
  for (let n = 0; n < ends.length; n++) all[row + n] = (ends[n] ?? 0) + start;
}
